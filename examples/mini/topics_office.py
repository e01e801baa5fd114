"""What messages are about, first half: support, invoices, e-mails, access requests, staff.

Per topic: option names, then sentences that say it, then noun phrases that mean it, separated by
bars. The last phrase of each list is kept for the test, the last but one for calibration.
"""

SUPPORT = {
    "double_charge": (
        "double charge|charged twice|billed twice|double payment|two charges|charged again"
        "|double billing|duplicate payment|two payments",
        "My card was charged twice for the same order.|I was billed two times this month."
        "|There are two identical payments on my account.|You took the money twice."
        "|The same amount was taken from my card a second time."
        "|I see a duplicate charge on my card.|You charged me twice."
        "|My account was debited twice for one order."
        "|The sum of 40 euros left my account two times."
        "|I have been billed a second time for the same thing."
        "|The charge shows up twice on my statement.|You took two payments for one purchase."
        "|Why do I see the same payment twice?|I was made to pay double."
        "|There is a second charge for an order I already paid."
        "|The invoice was debited again although I paid it once."
        "|One order, but two charges on my card.|Your shop has billed me double this month."
        "|I have paid twice by mistake of your system."
        "|The subscription was taken off my card two times."
        "|My statement shows two charges for one order."
        "|Two charges of 20 euros appear for a single order."
        "|I see two charges on my card, one is too many."
        "|The card was charged a second time for the same thing.|Order 512 was charged twice."
        "|Subject: charged twice|You have taken two payments of 30 euros for the same thing."
        "|I paid once but was billed twice.|The payment was taken two times.",
        "a payment that was taken twice|a double charge|the same amount billed two times"
        "|paying the same thing twice|a second charge for one order|two charges for one purchase"
        "|a customer who was billed double|being charged again for the same order"
        "|one order that was paid twice|a card that was debited two times|money taken twice"
        "|a duplicate charge|one payment too many|a bill paid double|twice the amount taken"
        "|the same charge again|duplicate payments|a card charged twice",
    ),
    "refund": (
        "refund|money back|money returned|repay|reimburse|give money back|refunds|repayment"
        "|pay back",
        "I want my money back.|Please refund the order.|I would like a refund."
        "|Kindly return the money to my card.|Could you pay back what I paid?"
        "|I ask for a full refund.|I demand a refund.|Please give my money back."
        "|I expect to be refunded.|Send the money back to my account, please."
        "|I want to be paid back.|You still owe me the refund."
        "|I request repayment of the full sum.|Can I have my money returned?"
        "|The refund you promised has not come.|How long does a refund take?"
        "|I would like to be reimbursed.|Please repay the price of the order."
        "|I have sent it back and now want the money returned.|Could you refund me for this?"
        "|Please send one of the payments back.|Kindly send the money for the second one back."
        "|One of the two should be returned to me.|Send me back what I paid too much."
        "|I ask you to return the sum.|Please transfer the money back.|I want it refunded today."
        "|When do I get my money back?|Please give me back the money I paid.",
        "getting money back|a refund|a wish to be paid back"
        "|a customer who wants the money returned|repayment of the price|reimbursement"
        "|money to be returned to the customer|a demand for a refund|paying the customer back"
        "|a wish to get the money back|refunding an order|money back for an order"
        "|paying money back|someone who asks to be refunded|a repayment"
        "|the return of the money paid|returning the money|a request for the money back",
    ),
    "login": (
        "login|sign in|log in|signing in|password trouble|cannot log in|sign on|account access"
        "|password",
        "I cannot log in to my account.|My password is not accepted."
        "|The sign in page says my password is wrong.|I forgot my password."
        "|The reset mail for my password never arrives.|I am locked out of my account."
        "|I can't sign in.|My password does not work any more.|The system will not let me in."
        "|Logging in is impossible since yesterday.|I cannot get into my account."
        "|It says unknown user when I log in.|I have forgotten my login."
        "|My account is locked after three attempts."
        "|The link to reset my password does not work.|I do not get the code to sign in."
        "|My user name and password are rejected.|I have trouble logging in."
        "|Please reset my password.|The login page throws me out."
        "|Signing in does not work any more.|My login fails and the password is refused.",
        "trouble with signing in|login and password trouble|a password that does not work"
        "|not being able to log in|a forgotten password|sign in problems"
        "|an account that is locked|login trouble|resetting a password|a user who cannot sign in"
        "|a password that is refused|trouble with the login|access to the account"
        "|an account that does not open|being locked out of an account"
        "|an account one cannot get into|a wrong password|getting into an account"
        "|an account that cannot be opened",
    ),
    "crash": (
        "crash|bug|app crash|error|bugs|technical fault|broken app|app error|software fault",
        "The app crashes when I open it.|The program closes by itself."
        "|I get an error on every page.|The app stopped working after the update."
        "|There is a bug in the app.|The screen of the app freezes.|The app keeps crashing."
        "|The program freezes when I press save.|The app shuts down on its own."
        "|An error message pops up and nothing works.|The software hangs all the time."
        "|Your app does not start on my phone.|The page shows an error code."
        "|Since the update the app is broken.|I found a bug in the software."
        "|The window closes as soon as I click the button."
        "|A blank screen appears when I open the program.|The app quits without warning."
        "|The button in the app does nothing.|It always crashes when I open the settings."
        "|An error appears and the app closes.|The app shows an error and freezes.",
        "an error in the app|a bug in the software|an app that crashes"
        "|a program that closes by itself|a technical error|software errors"
        "|something in the app does not work|a bug or crash|an app that freezes"
        "|an app that closes|errors on the page|a program that freezes|a software problem"
        "|faults in the program|an app that stopped working|a technical problem in the software"
        "|software that does not work|a fault of the program",
    ),
    "cancel": (
        "cancel|end plan|cancel plan|end subscription|terminate|close account|quit plan"
        "|stop subscription|leave",
        "Please cancel my subscription.|I want to end my plan."
        "|Stop my subscription at the end of the month."
        "|I do not need the plan any more, please end it.|Close my account, I am leaving."
        "|I would like to cancel the contract.|I want to cancel my plan."
        "|Please end my subscription.|I no longer want the service, please cancel."
        "|Terminate my contract please.|I would like to stop paying for the plan."
        "|Please delete my account and end the plan.|Do not renew my subscription."
        "|I am leaving, please close everything.|How can I cancel?"
        "|Please take me off the plan next month.|I wish to terminate the subscription."
        "|We will not continue with your service.|We do not use it anymore, please cancel."
        "|My subscription should not go on.|Please stop my plan."
        "|I want my subscription to end this month.",
        "ending a subscription|a wish to cancel the plan|stopping the contract|ending the plan"
        "|cancelling the subscription|termination of a contract|a customer who wants to leave"
        "|an account to be closed|not renewing a plan|a subscription to be ended"
        "|the end of a plan|stopping a subscription|a contract to be cancelled"
        "|a request to cancel|a plan that is no longer wanted|leaving the service"
        "|closing an account|a plan that should end",
    ),
    "upgrade": (
        "upgrade|bigger plan|larger plan|more users|extend plan|premium|higher plan|more seats"
        "|expand",
        "We would like to move to the bigger plan.|I need more seats for my team."
        "|How do I upgrade my plan?|Please switch us to the larger plan.|Can we add more users?"
        "|We want a plan with more space.|We need more licences."
        "|Please add five users to our plan.|I want to upgrade."
        "|Can I switch to the premium plan?|We hired people and need more accounts."
        "|Our plan is too small for us now.|What is needed to get the large plan?"
        "|We want to change to the business plan.|Please extend our plan by ten seats."
        "|I would like more storage and more users.|Is it possible to get a higher plan?"
        "|We want to add more people to our account.|Please move me up to the professional plan."
        "|The small plan does not suffice, we want the next one."
        "|Our team grows, we need a larger plan.|We need a bigger plan with more users.",
        "moving to a bigger plan|more seats or users|an upgrade|changing to a higher plan"
        "|additional users or seats|more licences|a customer who wants a larger plan"
        "|growing the plan|adding people to the plan|switching to a larger plan"
        "|a plan with more users|adding seats to the plan|more space or users"
        "|a customer who needs a bigger plan|moving up to a larger plan|an upgrade of the plan"
        "|a larger plan|a wish for a plan with more space",
    ),
    "praise": (
        "praise|thanks|thank you|positive|kind words|great service|satisfied|compliment"
        "|happy customer",
        "I just want to say thank you.|Your team was great."
        "|Everything works perfectly, well done.|Thanks for the fast help."
        "|I am happy with your service.|Great work, thank you all.|You are the best, thank you!"
        "|I am very pleased with your support.|Your help was excellent."
        "|Many thanks to the whole team.|What a lovely service."
        "|I just wanted to thank your colleagues.|Keep up the good work."
        "|Everything went smoothly, thanks.|The support was wonderful."
        "|I have never had such good service.|Big thanks for solving it so fast."
        "|A compliment to your friendly staff.|I really love your product, well done."
        "|Thanks to you everything works again.|You helped me very well."
        "|Thank you, your service is great.",
        "praise or thanks|a happy customer|a compliment|kind words|a customer who is pleased"
        "|thanks to the team|positive feedback|a message that only says thank you"
        "|a satisfied customer|happy words about the service|a customer who says thanks"
        "|praise for the team|thanking the support|a nice comment|great service"
        "|a customer who is happy|saying thank you|words of thanks for the team",
    ),
    "question": (
        "question|information|info|enquiries|ask|wants to know|general question|asks something"
        "|enquiry",
        "Do you also offer a yearly plan?|I have a question about your opening hours."
        "|Can you tell me how this works?|Where can I find the manual?"
        "|I would like to know the price.|Is there a discount for schools?"
        "|Do you ship to other countries?|What are your opening times?|Which plans do you have?"
        "|I would like more information.|How much is the yearly plan?"
        "|Is there a manual for the device?|Can you explain how it works?"
        "|Do you have a shop in my town?|When are you open?"
        "|I want to ask something about your offer.|Could you send me details about the plans?"
        "|Is it possible to pay by card in your shop?"
        "|What is the difference between the two plans?|Please tell me more about your product."
        "|What does the plan cost?|Could you tell me your opening hours?",
        "a question about the offer|a wish for information|asking how something works"
        "|a general question|a request for information|someone who asks about the offer"
        "|asking for details|a question about opening times|wanting to know how it works"
        "|a question|asking for information|questions about the offer"
        "|someone who asks about prices|information that is wanted"
        "|wanting information on the plan|a customer who asks something"
        "|a question on prices or hours|someone who wants to know something",
    ),
    "address": (
        "address|moved house|moving|change address|contact details|relocation|address change"
        "|contact data|new address",
        "I have moved, please change my address.|My new address is Lake Road 5."
        "|Please update my phone number and address.|The address in my account is old."
        "|We moved to another street.|Please use my new address from now on."
        "|I moved to a new flat, here is my address.|Please change my postal address."
        "|My street has changed.|My contact details are out of date.|I have a new phone number."
        "|Please correct my address in your files.|We have a new office address."
        "|From May on we live in another street.|I changed my email address, please update it."
        "|Note my new home address please.|The house number in my account is wrong."
        "|Since I moved, letters go to my old home.|Please register my new address."
        "|My address has changed.|I live in another town now, please note the new address."
        "|Please change my old address, I moved.",
        "a change of address|new contact data|someone who moved|changing the address"
        "|an address that has changed|updated contact details|a new phone number or address"
        "|a customer who has moved|correcting the address|an address that must be changed"
        "|a move to another street|a new home address|contact data to be updated"
        "|a person who moved house|an old address to be replaced|new address data"
        "|an address to be updated|a new address for the account",
    ),
}

INVOICE = {
    "wrong_amount": (
        "wrong amount|price error|wrong sum|too high|price mistake|amount error|wrong total"
        "|amount|incorrect sum",
        "The amount on the invoice is wrong.|We agreed on a lower price."
        "|The sum does not match our offer.|The invoice is too high."
        "|The price per item is not what we agreed.|The total is not correct."
        "|You charged a higher price than agreed.|The invoice total is wrong."
        "|There is a mistake in the amount.|The bill is higher than your offer."
        "|The discount is missing from the bill."
        "|The price on the bill differs from our contract.|You calculated the sum incorrectly."
        "|The amount due cannot be right.|The bill should be lower."
        "|The offer said less than the invoice.|The invoice adds up to a wrong total."
        "|We were charged too much.|Please correct the amount on the invoice."
        "|The unit price is not the agreed one.|The invoice shows the wrong price."
        "|The sum on the invoice is too high.",
        "a wrong amount|a price that was not agreed|an incorrect total"
        "|an amount that is not correct|a bill that is too high|a price different from the offer"
        "|a mistake in the sum|an error in the total|being charged more than agreed"
        "|a total that is not correct|a bill with a wrong sum|an invoice that is too high"
        "|a price that does not match|the wrong price on an invoice"
        "|a sum that does not match the offer|an incorrect amount|a sum that is too high"
        "|an invoice with the wrong price",
    ),
    "tax": (
        "tax|vat|taxes|vat error|sales tax|wrong tax|vat rate|tax error|tax rate",
        "The tax on the invoice is wrong.|We do not pay tax in this country."
        "|The VAT number is missing.|You used the wrong tax rate.|We are exempt from tax."
        "|Please remove the VAT.|The sales tax was added by mistake."
        "|Our VAT number does not appear on the bill.|We should not be charged VAT."
        "|The tax is calculated wrongly.|Why did you add tax?|The invoice lacks the tax number."
        "|The VAT rate changed, please correct it.|You charged 19 percent tax instead of 7."
        "|There must be no tax on this bill.|Please state the VAT separately."
        "|The tax part of the invoice is false.|As a foreign firm we pay no VAT."
        "|Your invoice has the wrong VAT.|We are free of tax.|The tax rate should be zero."
        "|The VAT on the invoice is not right.",
        "wrong tax|the VAT or tax rate|a tax number that is missing|value added tax"
        "|an error in the tax|VAT on the invoice|tax that was charged wrongly"
        "|a missing VAT number|questions of tax|tax on an invoice|the wrong VAT"
        "|a tax rate that is wrong|VAT that is not right|a mistake in the VAT"
        "|tax that was added wrongly|being exempt from tax|a mistake with the tax"
        "|tax that should not be there",
    ),
    "quantity": (
        "quantity|item count|too many pieces|wrong count|number|units|piece count"
        "|number of items|pieces",
        "The invoice lists more items than we ordered.|We only ordered half of these pieces."
        "|The number of items is wrong.|You billed items that never came."
        "|The count of pieces does not match.|One item is listed that we did not order."
        "|We received fewer pieces than you billed."
        "|You charged us for 20 items but we ordered 10.|The invoice has one piece too many."
        "|The amount of items is not right.|We never ordered so many units."
        "|The listed number of units is false.|Two of the billed items were never ordered."
        "|Please correct the number of pieces.|You billed twice as many pieces as we got."
        "|The invoice counts more boxes than we received.|There are extra items on the bill."
        "|Our order had fewer items.|The quantity on the invoice is wrong."
        "|We got ten pieces, not twelve.|There are too many pieces on the invoice."
        "|More pieces are billed than we ordered.",
        "a wrong number of items|items that were not ordered|the count of pieces"
        "|the number of pieces on a bill|more units than ordered|extra items on the invoice"
        "|a wrong quantity|how many items were billed|a count that is not right"
        "|items billed but not ordered|more items than ordered|the number of items is wrong"
        "|an incorrect count of pieces|a number of pieces that does not match"
        "|pieces that were not ordered|too many items|too many pieces billed"
        "|a quantity that does not match",
    ),
    "copy": (
        "copy|duplicate document|duplicate|send invoice again|new copy|copy of bill|once more"
        "|send again|resend",
        "Please send me a copy of the invoice.|I cannot find the invoice, send it again."
        "|We need the invoice once more.|Could I get the document a second time?"
        "|I lost the invoice, please resend it.|Our accountant needs a copy."
        "|Can you send the invoice again?|I need a duplicate of the bill."
        "|We have mislaid the invoice.|The document was deleted, please send it once more."
        "|Please forward the invoice a second time."
        "|We never got the invoice, could you resend it?|May I have another copy of the bill?"
        "|I need last year's invoice again.|The PDF is broken, please send a new copy."
        "|Please email us the missing invoice.|Our copy of the bill is gone."
        "|Kindly send a duplicate.|Could you print the bill again for us?"
        "|I deleted your mail with the invoice.|Please mail the invoice again."
        "|Could you send the lost invoice once more?",
        "a copy of an invoice|sending a document again|a lost invoice|a duplicate of a bill"
        "|sending the bill once more|a request for another copy|resending a document"
        "|an invoice that is needed again|an invoice that got lost"
        "|a document to be sent once more|an invoice that is sent again"
        "|getting the invoice again|the wish for a copy|a document that was lost"
        "|resending an invoice|a bill to be sent a second time|a document needed once more"
        "|an invoice to be sent again",
    ),
    "late_payment": (
        "late payment|overdue|payment late|open bill|missed payment|dunning|reminder|unpaid bill",
        "The invoice is overdue.|This is a reminder, we have not received your payment."
        "|Your payment is late.|The bill is still unpaid after the due date."
        "|We are still waiting for the money.|The due date has passed."
        "|You have not paid yet although it was due last week."
        "|Please settle the overdue invoice.|This is the second reminder."
        "|The payment deadline is over.|We have still not got your payment."
        "|Your account is in arrears.|The bill was due in March and remains unpaid."
        "|Payment is two weeks late.|We ask you to pay the open bill now."
        "|The deadline for payment has passed.|The sum is outstanding for a month."
        "|Please pay what is overdue.|We miss your payment.|A reminder: your bill is still open."
        "|Payment has not come in yet.|The due date passed and we still wait for your payment.",
        "a bill past its due date|a payment that is late|a reminder to pay"
        "|payment that is overdue|a missed deadline for payment|a payment reminder"
        "|money that is outstanding|a customer who has not paid in time"
        "|an open bill after the deadline|a bill that is overdue|payment that did not come in"
        "|money still not paid|an invoice past its date|a due date that has passed"
        "|waiting for payment|a late payment of a bill|an unpaid bill|an overdue invoice",
    ),
    "installments": (
        "installments|payment plan|pay in parts|monthly payment|more time|rates|part payment"
        "|pay later|split payment",
        "Can we pay in three parts?|We would like to pay in installments."
        "|May I pay the bill later?|Please give us more time to pay."
        "|Could the sum be split over some months?|We need a payment plan."
        "|May I pay in monthly parts?|We cannot pay all at once."
        "|Is it possible to pay bit by bit?|I would like to pay 50 each month."
        "|Could we pay half now and half next month?|Please allow us to pay over six months."
        "|We ask for an extension of the payment date.|I need a few more weeks to pay."
        "|Can the bill be paid in several steps?|Please spread the payments over a year."
        "|I am short of money, can I pay in rates?|Could I pay a smaller sum every month?"
        "|We propose to pay in four parts.|Can we get a later due date?"
        "|I can only pay half now and half later.|Could we split the bill and pay in parts?",
        "paying in parts|a wish for more time to pay|a payment plan|monthly payments"
        "|paying bit by bit|spreading the payment over time|a later payment date"
        "|a customer who cannot pay at once|payment in several parts|splitting a bill"
        "|paying the bill in parts|a wish to pay later|a bill split into parts"
        "|payments over some months|more time for the payment|parts of a payment"
        "|splitting the bill over months|a bill paid in installments",
    ),
    "recipient": (
        "recipient|wrong company|wrong name|company name|bill to|wrong firm|name on bill"
        "|billing name|addressee",
        "The invoice is made out to the wrong company."
        "|Our company name is misspelled on the bill."
        "|Please put our new company name on the invoice.|The invoice went to our old office."
        "|It is addressed to someone who left.|The name of the firm is wrong."
        "|The bill is addressed to the wrong firm."
        "|Our company was renamed, please change the invoice."
        "|Please correct the name on the bill."
        "|The invoice should be made out to our head office.|You used our former company name."
        "|The invoice names the wrong customer.|The addressee of the invoice is incorrect."
        "|Please write the bill to our sister company."
        "|The name of our business is spelled wrong.|The bill has another firm's name on it."
        "|You sent the bill to a person who no longer works here."
        "|Please issue the invoice in the name of our branch."
        "|It is made out to me, but should be to my firm.|The invoice has a false address line."
        "|The billing address is wrong.|The invoice carries the wrong company name.",
        "a wrong company name|the name or address on the bill|an invoice to the wrong firm"
        "|the name on the invoice|an incorrect addressee|a bill made out to someone else"
        "|the company named on the bill|a misspelled company name|a false billing address"
        "|the wrong name on a bill|a wrong firm on the invoice|an invoice for another company"
        "|a billing address that is wrong|the company name on the invoice"
        "|an invoice made out wrongly|the firm a bill is made out to"
        "|who the invoice is made out to|a bill with the wrong name",
    ),
}

EMAIL = {
    "reschedule": (
        "reschedule|move meeting|new date|other time|move appointment|shift meeting|later date"
        "|new time|postpone",
        "Can we move the meeting to another day?|I need to shift our call."
        "|Could we meet later than planned?|The meeting has to be postponed."
        "|Let us find a new time for the meeting.|I cannot make the old time, can we meet later?"
        "|Can we shift the appointment to Tuesday?|I have to move our meeting."
        "|Let us postpone the call.|The date does not suit me, can we find another?"
        "|Could we have the meeting an hour later?"
        "|Something came up, can we meet next week instead?"
        "|I am busy then, please suggest another time."
        "|We need to change the time of our meeting.|Can we delay the call until Thursday?"
        "|The appointment must be shifted.|Is another day possible for our talk?"
        "|Please set a different date for the meeting."
        "|I would prefer to meet in the afternoon instead.|Let us meet on a different day."
        "|Please move our appointment.|We must find another time for our call.",
        "moving a meeting|a new time for a call|a meeting that is postponed"
        "|shifting an appointment|another date for the meeting|delaying a call"
        "|a change of the meeting time|postponing an appointment|a meeting on a different day"
        "|a meeting to be moved|another time for a call|a call at a later time"
        "|an appointment at a new time|a meeting that has to wait|finding a new time"
        "|moving an appointment|finding another time|an appointment to be moved",
    ),
    "invitation": (
        "invitation|invite|party|invited|come|guests|join us|event|come along",
        "You are invited to our summer party.|We would like to invite you to a talk."
        "|Please join us for dinner.|Join our workshop next week.|I invite you to the opening."
        "|Would you come to our event?|We are having a party and want you to come."
        "|Please be our guest on Saturday.|Come to our concert next month."
        "|You are cordially invited to the dinner."
        "|We would be glad to see you at our celebration.|Will you join us for lunch?"
        "|Save the date for our garden party.|It would be nice if you came to our event."
        "|Here is your invitation to the fair.|Do come to the opening of our new shop."
        "|We are celebrating and you are invited.|May I invite you for coffee?"
        "|Please come along to the wedding.|We hope to welcome you at the conference."
        "|You are welcome at our party.|We invite you to join our event.",
        "an invitation|being invited to an event|a party, talk or dinner|inviting someone"
        "|a party or celebration|asking someone to come to an event|being asked to join"
        "|an event with guests|a dinner invitation|inviting people|an invitation to an event"
        "|people invited to a party|an invitation to dinner|someone who asks others to come"
        "|an event to join|a welcome to a party|joining an event|someone who invites people",
    ),
    "report": (
        "report|results|numbers|statistics|report sent|outcome|overview|figures|summary",
        "Attached you find the report.|Here are the figures for the quarter."
        "|I send you the results of the survey.|The summary of the project is attached."
        "|Please find the monthly report below.|These are the numbers you wanted."
        "|Please see the report in the attachment.|The results are in."
        "|Here are the monthly numbers.|I have finished the summary."
        "|The sales figures are attached.|Enclosed is the quarterly report."
        "|You asked for the statistics, here they are.|The outcome of the study is in the file."
        "|I am sending the results of our tests.|Here is an overview of the project."
        "|The final report can be found in the folder.|Below are the numbers for May."
        "|This is our weekly report.|The evaluation is done, find it attached."
        "|The report is ready, see the file.|Here is the report with the results.",
        "a report or summary|figures and results|a file with numbers|numbers and results"
        "|a report that is sent|the figures of the month|statistics or a summary"
        "|an overview with results|the outcome of a study|a report|the results"
        "|a summary of a project|figures that are sent|results and numbers of a project"
        "|sending a report|the monthly figures|the results of a project|sending the figures",
    ),
    "spam": (
        "spam|junk|advert|ads|fraud mail|unwanted|trash mail|scam|advertising",
        "You have won a prize, click here.|Buy cheap watches now."
        "|Click the link and enter your card number.|Make money fast from home."
        "|Your prize is waiting, click the link.|Dear winner, send us your bank data."
        "|Congratulations, you are our lucky winner!|Get rich quick with this trick."
        "|Lose weight fast with our miracle pills.|Claim your free gift now."
        "|You inherited a million, send your bank details.|Best casino bonus, play now."
        "|Limited offer, buy today and save."
        "|Verify your account by entering your card number here.|Hot deals, click below."
        "|Earn thousands a week without work.|Free phones for the first hundred clicks."
        "|Your account will be closed unless you click here.|Order cheap software now."
        "|Special discount just for you, click here.|Cheap pills, buy now."
        "|Click now to win money fast.",
        "junk or advertising|a false prize|spam|unwanted advertising|a scam|junk mail"
        "|a mail that promises prizes|fraudulent advertising|a false offer|advertising"
        "|a prize that is false|an advert nobody wants|a scam mail|junk"
        "|unwanted mail that wants bank data|cheap offers and prizes|a scam that wants card data"
        "|an unwanted advert",
    ),
    "application": (
        "application|job|apply|cv|applicant|job seeker|vacancy|candidate|hiring",
        "I would like to apply for the job.|Please find my CV attached."
        "|I am looking for a job in your team.|With this letter I apply for the open position."
        "|I saw your job offer and want to apply.|My name is on the list of candidates."
        "|I am applying for the vacancy.|Here is my CV.|I would love to join your company."
        "|Is the job still open?|I send my application for the post."
        "|I am interested in the position you advertise.|My resume is enclosed."
        "|Do you have a job for me?|I want to become part of your team."
        "|I have ten years of experience and look for a new job.|I hereby apply as a driver."
        "|I would be happy to come for a job interview.|I saw the vacancy on your website."
        "|You find my letter of application below.|I want to work for you, my CV is attached."
        "|I apply for the position, here is my CV.",
        "a job application|someone who wants to work here|a candidate with a CV|an applicant"
        "|someone applying for a job|a vacancy|a CV or resume|interest in a position"
        "|a person who wants the job|someone who applies for a job|a CV"
        "|a person who wants to work here|looking for a job|an application for a position"
        "|a job wanted|a candidate for a job|applying for a position|a person looking for a job",
    ),
    "contract": (
        "contract|signature|sign|agreement to sign|contracts|legal paper|draft|agreement|legal",
        "The contract is ready for your signature.|Please sign the agreement."
        "|The lawyers have checked the contract.|We need your signature by Friday."
        "|I send you the new contract.|The agreement needs one more change."
        "|Please return the signed contract.|I need your signature on the agreement."
        "|The draft of the contract is attached.|Our lawyer wants to change a clause."
        "|The contract must be signed by both sides.|Here is the agreement for you to sign."
        "|We have to prolong the contract.|Please check the terms of the contract."
        "|The legal department has approved the draft.|A signature is missing on page three."
        "|Kindly sign and send it back.|The agreement is still unsigned."
        "|The terms of our agreement need to change.|Your signature is required."
        "|Please read the contract and sign it.|The agreement waits for your signature.",
        "a contract or agreement|something to be signed|a signature that is needed"
        "|signing a contract|a signature or agreement|the terms of a contract|legal documents"
        "|a draft of an agreement|a paper to sign|an agreement|a contract to be signed"
        "|the signature on a contract|a contract that must be read"
        "|an agreement that needs a signature|papers for the lawyers|signing an agreement"
        "|a matter for the lawyers|an agreement to sign",
    ),
    "thanks": (
        "thanks|gratitude|thankful|thank you|grateful|gratitude note|warm words|appreciation"
        "|nice words",
        "Thanks a lot for your help yesterday.|It was a pleasure to work with you."
        "|Thank you for the nice evening.|Many thanks for the good talk."
        "|We are grateful for your support.|Thank you for your time."
        "|Thank you very much for your help.|I am grateful for all you did."
        "|Thanks for last night.|I wanted to say thanks.|Your support meant a lot to me."
        "|Thank you so much.|It was kind of you to help.|We appreciate your work."
        "|A big thank you to everyone.|Thanks for the lovely day.|I really appreciate it."
        "|Many thanks for your quick answer.|I am thankful for the good cooperation."
        "|We enjoyed working with you, thanks.|Thanks again for everything."
        "|We thank you for your help.",
        "thanks for help|grateful words|someone who says thanks|gratitude|saying thanks"
        "|words of appreciation|a thank you note|a grateful person|appreciation for help|thanks"
        "|someone who is grateful|words of thanks|thanking someone for help"
        "|a person who says thank you|thanks for support|a letter of thanks|a note of thanks"
        "|nothing but thanks",
    ),
}

ACCESS = {
    "read": (
        "read|viewer|look|view|reading|see only|look only|view only|read only",
        "She only needs to look at the files.|He wants to read the documents."
        "|Please give me view rights.|I would like to see the reports, nothing more."
        "|Read rights are enough.|They want to look but not change anything."
        "|I only want to have a look at the files.|Viewing is all he needs."
        "|She may see the documents but not edit them.|Please grant read access."
        "|View only, please.|He should be able to open and read the folder."
        "|Just let me see the reports.|Looking at the data is enough for her."
        "|They need to see it without changing it.|I do not need to edit, only to look."
        "|Access for reading is fine.|Please allow him to view the pages."
        "|I must read the files for my work.|Give her the right to look at the folder."
        "|I just need to view the folder.|It is enough to see and read the files.",
        "looking without changing|read rights|the right to view|viewing only|read access"
        "|permission to look|just reading files|seeing without editing|someone who only looks"
        "|reading files only|the right to read|looking at files|viewing files without editing"
        "|someone who only wants to look|seeing but not changing|rights to view a folder"
        "|seeing the files only|someone who may only read",
    ),
    "write": (
        "write|editor|change|editing|modify|upload|write access|edit|change files",
        "She has to edit the files.|He needs to change the documents."
        "|Please give me write rights.|I must upload and edit reports."
        "|They need to add and change entries.|I want to correct the pages myself."
        "|I need to edit the documents.|Please let her change the files."
        "|He wants to modify entries.|Give me permission to edit.|I have to upload new files."
        "|Write access is needed.|She must be able to correct the text."
        "|We need to add data to the table.|Please allow him to edit the pages."
        "|They should be able to save changes."
        "|He updates the lists every day and needs edit rights."
        "|I want to add new reports to the folder.|I can read the file but have to change it."
        "|My job is to write and edit the articles.|Editing must be possible for her."
        "|He has to change and upload files.",
        "changing files|write rights|the right to edit|editing files|permission to change things"
        "|write access|uploading and editing|someone who must change documents|saving changes"
        "|editing documents|changing or adding files|the right to change files"
        "|someone who has to edit|adding entries|a person who must edit files|rights to write"
        "|adding and changing entries|someone who may edit files",
    ),
    "admin": (
        "admin|full control|administrators|all rights|super user|full access|manage"
        "|administrator|root",
        "He needs full admin rights.|She will manage the users of the system."
        "|Please make me administrator.|I need full control of the server."
        "|Root rights are needed.|They must be able to change all settings and users."
        "|Please give her all rights.|I need to manage accounts and settings."
        "|He should become administrator.|Make her an admin.|We require root access."
        "|I must be able to do everything on the system.|She is the new admin."
        "|Full rights please.|He has to create and delete users."
        "|Give me complete control of the system."
        "|The new chief of IT needs administrator rights."
        "|I have to change the settings of all users.|Unlimited access is needed for her."
        "|They should have power over the whole system.|Give him control over everything."
        "|She needs full control and must manage all users.",
        "full control|admin rights|managing users and settings|administrator access|all rights"
        "|complete control|managing accounts|unlimited rights|running the whole system"
        "|control of the whole system|full admin control|rights to manage users|an administrator"
        "|managing all settings|someone who needs full control|root rights"
        "|control over everything|the rights of an administrator",
    ),
    "remove": (
        "remove|revoke|take away|block user|close access|delete account|revoke access"
        "|delete user|offboard",
        "Please remove her rights, she has left the company.|Take away his access."
        "|Delete the user, he is gone.|The intern has left, close the account."
        "|Her access should end today.|Please block his account for good."
        "|Please delete the account of the trainee.|She no longer works here, remove her."
        "|Withdraw his rights.|Her access must be closed.|He quit, so please lock him out."
        "|Please revoke all his permissions.|Deactivate the account of the former colleague."
        "|The contract of the helper ended, delete his user.|Please cut off her access."
        "|This person should not get in any more.|Shut down the account of Mr Lee, he is gone."
        "|Please disable her login for ever.|The student has gone, take back the rights."
        "|Erase the user, she left us.|Remove the old user from the list."
        "|He has left, please take his rights away.",
        "taking rights away|removing a user|access that should end|deleting an account"
        "|revoking rights|closing someone's access|a former colleague|withdrawing permissions"
        "|a user who has left|a user to be removed|access to be taken away"
        "|a person who left the firm|deleting a user|rights to be taken away"
        "|ending the access of a person|an old user who is gone|someone who left the company"
        "|a user to be deleted",
    ),
    "extend": (
        "extend|renew|more time|prolong access|renewal|keep access|extension|longer access|prolong",
        "My access runs out, please extend it.|Please renew her rights for another month."
        "|The guest account needs more time.|Can his access be longer?"
        "|My account expires soon, please renew it.|We need the rights for three more months."
        "|My rights end on Friday, please prolong them.|Please extend the guest account."
        "|The access should last two more weeks.|Her permission ends soon, she needs more time."
        "|Can you prolong my account?|Please keep his account open until June."
        "|My access is about to expire.|The period of access is too short."
        "|Renew the account for one more year, please."
        "|His rights expire tomorrow but he still needs them."
        "|Please let me keep my access a little longer."
        "|I need my access beyond the end of the month."
        "|The temporary account should stay longer.|Please give my account another month."
        "|Please let the account live longer.|Her account runs out, please give it more time.",
        "more time for an account|rights that run out|renewing access|prolonging access"
        "|an account that expires|keeping rights longer|extension of an account"
        "|access that is about to end|another month of access|longer access"
        "|an account that needs more time|access that runs out|renewing an account"
        "|rights for some more months|giving an account more time|an account that expires soon"
        "|access for a longer time|an account to be extended",
    ),
    "vpn": (
        "vpn|remote work|home|remote|outside access|connect from home|work from home|home office"
        "|remote access",
        "I want to work from home and need VPN.|Please set up remote access for my laptop."
        "|She works from abroad and needs the VPN.|I need to reach the network from home."
        "|Remote work should be possible for him.|Can I connect from my home office?"
        "|I work at home and cannot reach the office network.|Please enable VPN for me."
        "|I need access from outside.|I am travelling and have to connect to the office."
        "|Remote access, please.|She works remotely and needs a connection."
        "|I want to use my computer from home.|From the hotel I have to reach our servers."
        "|Please give him VPN, he is on the road.|How do I connect to work from my house?"
        "|I will be working from another city.|The VPN client is not installed on my laptop."
        "|Two days a week I stay at home and work from there.|I have to log on from abroad."
        "|I need a VPN for my trip.|He wants to connect to the network from home.",
        "working from home|VPN or remote access|reaching the network from outside|remote working"
        "|connecting from home|access from outside the office|a VPN connection"
        "|working from abroad|work on the road|connecting to the network from home"
        "|work from a home office|remote access to the network|the VPN|access from home"
        "|reaching the office from elsewhere|a connection from another place|a home office"
        "|connecting from another place",
    ),
}

STAFF = {
    "holiday": (
        "holiday|vacation|days off|leave|travel|free days|vacations|annual leave|time off",
        "I would like to take two weeks of holiday.|I am on vacation next month."
        "|Please approve my leave for the summer.|I want to take some days off to travel."
        "|We fly to the sea, I need time off.|I plan a vacation in August."
        "|I want to go on holiday in July.|Please approve my vacation."
        "|I would like to have next week off.|May I take leave in May?"
        "|We are going to the mountains, I need days off.|I would like to book my annual leave."
        "|Can I get a week off?|I will be on leave for ten days."
        "|I ask for free days at Christmas.|My family travels to Spain, I want leave."
        "|I still have ten days of vacation left.|Let me take Monday as a day off."
        "|I hope to go on a long trip in the autumn.|Please sign my request for leave."
        "|Can I take the Friday off?|I need days off for a trip to the sea.",
        "a holiday|days off to travel|a vacation|a request for leave|going on vacation|days off"
        "|annual leave|someone who wants time off|a week off for travel|taking a vacation"
        "|a wish for days off|time off for a trip|leave in the summer|a trip and days off"
        "|someone on vacation|weeks of holiday|time off in the summer"
        "|a person who takes a vacation",
    ),
    "sick": (
        "sick|illness|ill|flu|doctor|unwell|not well|sick leave|health",
        "I am ill and stay in bed.|She has a fever and cannot come.|The doctor told me to rest."
        "|He called in sick this morning.|I have the flu.|My back hurts, I cannot work."
        "|I am sick today.|I have a cold and stay home.|I feel unwell and cannot come to work."
        "|She is ill.|He has caught a virus and must rest.|I have a headache and a temperature."
        "|I am at the doctor.|My colleague is in hospital after surgery."
        "|I cannot work because of pain.|I will be on sick leave until Friday."
        "|I have a bad cough.|The doctor says I must stay in bed.|She feels sick and went home."
        "|Here is my sick note.|I broke my arm and am in hospital.|She is in bed with the flu.",
        "an illness|a sick person|someone with a fever or flu|being ill|someone who is not well"
        "|a cold or cough|a sick note|staying home because of illness|a person in hospital"
        "|someone who is ill|a sick colleague|being in bed with a fever|a person with the flu"
        "|not able to work because of illness|a health problem|illness or pain|sick leave"
        "|a person who is ill in bed",
    ),
    "training": (
        "training|course|learn|class|workshop|courses|education|learning|seminar",
        "I would like to visit a course.|She wants to learn a new language."
        "|Can I join the seminar in May?|The training on safety starts soon."
        "|He asks for a course on sales.|I want to learn more about the software."
        "|I would like to do a course.|Please sign me up for the workshop."
        "|I want to improve my English.|Are there any seminars on leadership?"
        "|She would like to take part in a training.|I would like to learn programming."
        "|Can the company pay for my course?|He wishes to attend a class."
        "|We need a training for the new staff.|Which courses can I take this year?"
        "|I want to get better at selling.|I am interested in further education."
        "|Please register her for the course on law.|I hope to study evenings."
        "|Please book the seminar for me.|I would like to learn more in a seminar.",
        "a course or seminar|learning something new|training|further education|taking a course"
        "|attending a workshop|someone who wants to learn|a class or training|improving skills"
        "|a wish to take a course|a seminar|someone who asks for a course|learning in a course"
        "|booking a seminar|a person who wants to learn|courses and seminars|a wish to learn"
        "|a person who wants a course",
    ),
    "salary": (
        "salary|pay|wage|pay rise|earnings|bonus|income|wages|raise",
        "My salary has not been paid.|I would like to talk about a raise."
        "|There is a mistake in my wages.|I want to earn more money."
        "|The bonus is missing from my pay.|When do I get my salary?|My wages are too low."
        "|I did not get my pay this month.|I would like a pay rise.|My salary is not correct."
        "|You paid me less than last month.|The overtime was not paid."
        "|I ask for a higher salary.|My bonus has not come.|There is an error on my pay slip."
        "|I want to discuss my pay.|I earn less than my colleagues.|My wages came too late."
        "|How is my bonus calculated?|I deserve more money for my work."
        "|My pay slip shows too few hours.|The salary is wrong, the bonus is missing.",
        "salary and pay|a raise or bonus|wages that are wrong|pay and wages|a higher salary"
        "|a pay rise|an error in the pay|overtime that was not paid|earnings of an employee"
        "|the salary|wages or bonus|a wish to earn more|pay that is wrong|money a worker gets"
        "|a salary that was not paid|a pay slip with mistakes|the pay of a worker|money for work",
    ),
    "resignation": (
        "resignation|quit|resign|leave job|quitting|end job|going|leaving the firm|notice",
        "I hereby quit my job.|I will leave the company in June."
        "|She has found a new job and leaves us.|Please accept my resignation."
        "|My last day of work is Friday.|I want to end my work here.|I am leaving the firm."
        "|I have decided to quit.|This is my letter of resignation.|I resign from my post."
        "|My contract ends in May because I am leaving.|I give notice as of today."
        "|She will leave us at the end of the month.|I have another job and will go."
        "|He has resigned.|I want to terminate my employment.|I am giving up my job."
        "|Today I hand in my resignation.|I will stop working here next month."
        "|He goes to another company.|He hands in his notice."
        "|I leave the company, this is my notice.",
        "leaving the company|someone who quits|a resignation|giving notice|quitting the job"
        "|an employee who leaves|ending the employment|a letter of resignation"
        "|someone with a new job elsewhere|quitting a job|a person who leaves the company|notice"
        "|someone who ends the job|an employee who hands in notice|ending work here"
        "|a worker who leaves|the end of a job|a worker who hands in notice",
    ),
    "conflict": (
        "conflict|dispute|quarrel|fight|argument|trouble at work|mobbing|bullying|team trouble",
        "My boss shouts at me every day.|Two people in the team fight all the time."
        "|I have a dispute with a colleague.|He is rude to everyone in the office."
        "|There is trouble between the two teams.|A colleague treats me badly."
        "|I cannot work with my colleague any more, we always argue.|My boss insults me."
        "|There is a quarrel in our team.|People in the office bully me."
        "|My colleagues do not speak to me.|We had a bad argument at work."
        "|He yells at the staff.|I am being bullied.|The two of them quarrel every day."
        "|I feel badly treated by my manager.|There is bad blood between two colleagues."
        "|She makes fun of me in front of others.|The team is split and fights."
        "|My manager is unfair and rude to me.|They argue and do not talk any more."
        "|I fight with my boss all the time.",
        "trouble between people|a fight with a colleague|a dispute in the team|a quarrel at work"
        "|bullying|an argument between colleagues|being insulted by the boss"
        "|people who fight at work|bad mood between colleagues|colleagues who fight"
        "|a dispute with the boss|people who treat others badly|a fight between colleagues"
        "|trouble in the team|a colleague who is rude|arguing at work|bad treatment at work"
        "|colleagues who argue",
    ),
}
