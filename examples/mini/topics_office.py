"""What messages are about, first half: support, invoices, e-mails, access requests, staff.

Per topic: option names, then sentences that say it, then noun phrases that mean it, separated by
bars. The last phrase of each list is kept for the test, the last but one for calibration.
"""

SUPPORT = {
    "double_charge": (
        "double charge|charged twice|duplicate payment|two payments",
        "My card was charged twice for the same order.|I was billed two times this month.|There are two identical payments on my account.|You took the money twice.|The same amount was taken from my card a second time.|I see a duplicate charge on my card.|I paid once but was billed twice.|The payment was taken two times.",
        "a payment that was taken twice|a double charge|the same amount billed two times|duplicate payments|a card charged twice",
    ),
    "refund": (
        "refund|money back|repayment|pay back",
        "I want my money back.|Please refund the order.|I would like a refund.|Kindly return the money to my card.|Could you pay back what I paid?|I ask for a full refund.|When do I get my money back?|Please give me back the money I paid.",
        "getting money back|a refund|a wish to be paid back|returning the money|a request for the money back",
    ),
    "login": (
        "login|sign in|account access|password",
        "I cannot log in to my account.|My password is not accepted.|The sign in page says my password is wrong.|I forgot my password.|The reset mail for my password never arrives.|I am locked out of my account.|Signing in does not work any more.|My login fails and the password is refused.",
        "trouble with signing in|login and password trouble|a password that does not work|getting into an account|an account that cannot be opened",
    ),
    "crash": (
        "crash|bug|app error|software fault",
        "The app crashes when I open it.|The program closes by itself.|I get an error on every page.|The app stopped working after the update.|There is a bug in the app.|The screen of the app freezes.|An error appears and the app closes.|The app shows an error and freezes.",
        "an error in the app|a bug in the software|an app that crashes|software that does not work|a fault of the program",
    ),
    "cancel": (
        "cancel|end plan|stop subscription|leave",
        "Please cancel my subscription.|I want to end my plan.|Stop my subscription at the end of the month.|I do not need the plan any more, please end it.|Close my account, I am leaving.|I would like to cancel the contract.|Please stop my plan.|I want my subscription to end this month.",
        "ending a subscription|a wish to cancel the plan|stopping the contract|closing an account|a plan that should end",
    ),
    "upgrade": (
        "upgrade|bigger plan|more seats|expand",
        "We would like to move to the bigger plan.|I need more seats for my team.|How do I upgrade my plan?|Please switch us to the larger plan.|Can we add more users?|We want a plan with more space.|Our team grows, we need a larger plan.|We need a bigger plan with more users.",
        "moving to a bigger plan|more seats or users|an upgrade|a larger plan|a wish for a plan with more space",
    ),
    "praise": (
        "praise|thanks|compliment|happy customer",
        "I just want to say thank you.|Your team was great.|Everything works perfectly, well done.|Thanks for the fast help.|I am happy with your service.|Great work, thank you all.|You helped me very well.|Thank you, your service is great.",
        "praise or thanks|a happy customer|a compliment|saying thank you|words of thanks for the team",
    ),
    "question": (
        "question|information|asks something|enquiry",
        "Do you also offer a yearly plan?|I have a question about your opening hours.|Can you tell me how this works?|Where can I find the manual?|I would like to know the price.|Is there a discount for schools?|What does the plan cost?|Could you tell me your opening hours?",
        "a question about the offer|a wish for information|asking how something works|a question on prices or hours|someone who wants to know something",
    ),
    "address": (
        "address|moved house|contact data|new address",
        "I have moved, please change my address.|My new address is Lake Road 5.|Please update my phone number and address.|The address in my account is old.|We moved to another street.|Please use my new address from now on.|I live in another town now, please note the new address.|Please change my old address, I moved.",
        "a change of address|new contact data|someone who moved|an address to be updated|a new address for the account",
    ),
}

INVOICE = {
    "wrong_amount": (
        "wrong amount|price error|amount|incorrect sum",
        "The amount on the invoice is wrong.|We agreed on a lower price.|The sum does not match our offer.|The invoice is too high.|The price per item is not what we agreed.|The total is not correct.|The invoice shows the wrong price.|The sum on the invoice is too high.",
        "a wrong amount|a price that was not agreed|an incorrect total|a sum that is too high|an invoice with the wrong price",
    ),
    "tax": (
        "tax|vat|tax error|tax rate",
        "The tax on the invoice is wrong.|We do not pay tax in this country.|The VAT number is missing.|You used the wrong tax rate.|We are exempt from tax.|Please remove the VAT.|The tax rate should be zero.|The VAT on the invoice is not right.",
        "wrong tax|the VAT or tax rate|a tax number that is missing|a mistake with the tax|tax that should not be there",
    ),
    "quantity": (
        "quantity|item count|number of items|pieces",
        "The invoice lists more items than we ordered.|We only ordered half of these pieces.|The number of items is wrong.|You billed items that never came.|The count of pieces does not match.|One item is listed that we did not order.|There are too many pieces on the invoice.|More pieces are billed than we ordered.",
        "a wrong number of items|items that were not ordered|the count of pieces|too many pieces billed|a quantity that does not match",
    ),
    "copy": (
        "copy|duplicate document|send again|resend",
        "Please send me a copy of the invoice.|I cannot find the invoice, send it again.|We need the invoice once more.|Could I get the document a second time?|I lost the invoice, please resend it.|Our accountant needs a copy.|Please mail the invoice again.|Could you send the lost invoice once more?",
        "a copy of an invoice|sending a document again|a lost invoice|a document needed once more|an invoice to be sent again",
    ),
    "late_payment": (
        "late payment|overdue|reminder|unpaid bill",
        "The invoice is overdue.|This is a reminder, we have not received your payment.|Your payment is late.|The bill is still unpaid after the due date.|We are still waiting for the money.|The due date has passed.|Payment has not come in yet.|The due date passed and we still wait for your payment.",
        "a bill past its due date|a payment that is late|a reminder to pay|an unpaid bill|an overdue invoice",
    ),
    "installments": (
        "installments|payment plan|pay later|split payment",
        "Can we pay in three parts?|We would like to pay in installments.|May I pay the bill later?|Please give us more time to pay.|Could the sum be split over some months?|We need a payment plan.|I can only pay half now and half later.|Could we split the bill and pay in parts?",
        "paying in parts|a wish for more time to pay|a payment plan|splitting the bill over months|a bill paid in installments",
    ),
    "recipient": (
        "recipient|wrong company|billing name|addressee",
        "The invoice is made out to the wrong company.|Our company name is misspelled on the bill.|Please put our new company name on the invoice.|The invoice went to our old office.|It is addressed to someone who left.|The name of the firm is wrong.|The billing address is wrong.|The invoice carries the wrong company name.",
        "a wrong company name|the name or address on the bill|an invoice to the wrong firm|who the invoice is made out to|a bill with the wrong name",
    ),
}

EMAIL = {
    "reschedule": (
        "reschedule|move meeting|new time|postpone",
        "Can we move the meeting to another day?|I need to shift our call.|Could we meet later than planned?|The meeting has to be postponed.|Let us find a new time for the meeting.|I cannot make the old time, can we meet later?|Please move our appointment.|We must find another time for our call.",
        "moving a meeting|a new time for a call|a meeting that is postponed|finding another time|an appointment to be moved",
    ),
    "invitation": (
        "invitation|invite|event|come along",
        "You are invited to our summer party.|We would like to invite you to a talk.|Please join us for dinner.|Join our workshop next week.|I invite you to the opening.|Would you come to our event?|You are welcome at our party.|We invite you to join our event.",
        "an invitation|being invited to an event|a party, talk or dinner|joining an event|someone who invites people",
    ),
    "report": (
        "report|results|figures|summary",
        "Attached you find the report.|Here are the figures for the quarter.|I send you the results of the survey.|The summary of the project is attached.|Please find the monthly report below.|These are the numbers you wanted.|The report is ready, see the file.|Here is the report with the results.",
        "a report or summary|figures and results|a file with numbers|the results of a project|sending the figures",
    ),
    "spam": (
        "spam|junk|scam|advertising",
        "You have won a prize, click here.|Buy cheap watches now.|Click the link and enter your card number.|Make money fast from home.|Your prize is waiting, click the link.|Dear winner, send us your bank data.|Cheap pills, buy now.|Click now to win money fast.",
        "junk or advertising|a false prize|spam|a scam that wants card data|an unwanted advert",
    ),
    "application": (
        "application|job|candidate|hiring",
        "I would like to apply for the job.|Please find my CV attached.|I am looking for a job in your team.|With this letter I apply for the open position.|I saw your job offer and want to apply.|My name is on the list of candidates.|I want to work for you, my CV is attached.|I apply for the position, here is my CV.",
        "a job application|someone who wants to work here|a candidate with a CV|applying for a position|a person looking for a job",
    ),
    "contract": (
        "contract|signature|agreement|legal",
        "The contract is ready for your signature.|Please sign the agreement.|The lawyers have checked the contract.|We need your signature by Friday.|I send you the new contract.|The agreement needs one more change.|Please read the contract and sign it.|The agreement waits for your signature.",
        "a contract or agreement|something to be signed|a signature that is needed|a matter for the lawyers|an agreement to sign",
    ),
    "thanks": (
        "thanks|gratitude|appreciation|nice words",
        "Thanks a lot for your help yesterday.|It was a pleasure to work with you.|Thank you for the nice evening.|Many thanks for the good talk.|We are grateful for your support.|Thank you for your time.|Thanks again for everything.|We thank you for your help.",
        "thanks for help|grateful words|someone who says thanks|a note of thanks|nothing but thanks",
    ),
}

ACCESS = {
    "read": (
        "read|viewer|view only|read only",
        "She only needs to look at the files.|He wants to read the documents.|Please give me view rights.|I would like to see the reports, nothing more.|Read rights are enough.|They want to look but not change anything.|I just need to view the folder.|It is enough to see and read the files.",
        "looking without changing|read rights|the right to view|seeing the files only|someone who may only read",
    ),
    "write": (
        "write|editor|edit|change files",
        "She has to edit the files.|He needs to change the documents.|Please give me write rights.|I must upload and edit reports.|They need to add and change entries.|I want to correct the pages myself.|Editing must be possible for her.|He has to change and upload files.",
        "changing files|write rights|the right to edit|adding and changing entries|someone who may edit files",
    ),
    "admin": (
        "admin|full control|administrator|root",
        "He needs full admin rights.|She will manage the users of the system.|Please make me administrator.|I need full control of the server.|Root rights are needed.|They must be able to change all settings and users.|Give him control over everything.|She needs full control and must manage all users.",
        "full control|admin rights|managing users and settings|control over everything|the rights of an administrator",
    ),
    "remove": (
        "remove|revoke|delete user|offboard",
        "Please remove her rights, she has left the company.|Take away his access.|Delete the user, he is gone.|The intern has left, close the account.|Her access should end today.|Please block his account for good.|Remove the old user from the list.|He has left, please take his rights away.",
        "taking rights away|removing a user|access that should end|someone who left the company|a user to be deleted",
    ),
    "extend": (
        "extend|renew|longer access|prolong",
        "My access runs out, please extend it.|Please renew her rights for another month.|The guest account needs more time.|Can his access be longer?|My account expires soon, please renew it.|We need the rights for three more months.|Please let the account live longer.|Her account runs out, please give it more time.",
        "more time for an account|rights that run out|renewing access|access for a longer time|an account to be extended",
    ),
    "vpn": (
        "vpn|remote work|home office|remote access",
        "I want to work from home and need VPN.|Please set up remote access for my laptop.|She works from abroad and needs the VPN.|I need to reach the network from home.|Remote work should be possible for him.|Can I connect from my home office?|I need a VPN for my trip.|He wants to connect to the network from home.",
        "working from home|VPN or remote access|reaching the network from outside|a home office|connecting from another place",
    ),
}

STAFF = {
    "holiday": (
        "holiday|vacation|annual leave|time off",
        "I would like to take two weeks of holiday.|I am on vacation next month.|Please approve my leave for the summer.|I want to take some days off to travel.|We fly to the sea, I need time off.|I plan a vacation in August.|Can I take the Friday off?|I need days off for a trip to the sea.",
        "a holiday|days off to travel|a vacation|time off in the summer|a person who takes a vacation",
    ),
    "sick": (
        "sick|illness|sick leave|health",
        "I am ill and stay in bed.|She has a fever and cannot come.|The doctor told me to rest.|He called in sick this morning.|I have the flu.|My back hurts, I cannot work.|I broke my arm and am in hospital.|She is in bed with the flu.",
        "an illness|a sick person|someone with a fever or flu|sick leave|a person who is ill in bed",
    ),
    "training": (
        "training|course|learning|seminar",
        "I would like to visit a course.|She wants to learn a new language.|Can I join the seminar in May?|The training on safety starts soon.|He asks for a course on sales.|I want to learn more about the software.|Please book the seminar for me.|I would like to learn more in a seminar.",
        "a course or seminar|learning something new|training|a wish to learn|a person who wants a course",
    ),
    "salary": (
        "salary|pay|wages|raise",
        "My salary has not been paid.|I would like to talk about a raise.|There is a mistake in my wages.|I want to earn more money.|The bonus is missing from my pay.|When do I get my salary?|My pay slip shows too few hours.|The salary is wrong, the bonus is missing.",
        "salary and pay|a raise or bonus|wages that are wrong|the pay of a worker|money for work",
    ),
    "resignation": (
        "resignation|quit|leaving the firm|notice",
        "I hereby quit my job.|I will leave the company in June.|She has found a new job and leaves us.|Please accept my resignation.|My last day of work is Friday.|I want to end my work here.|He hands in his notice.|I leave the company, this is my notice.",
        "leaving the company|someone who quits|a resignation|the end of a job|a worker who hands in notice",
    ),
    "conflict": (
        "conflict|dispute|bullying|team trouble",
        "My boss shouts at me every day.|Two people in the team fight all the time.|I have a dispute with a colleague.|He is rude to everyone in the office.|There is trouble between the two teams.|A colleague treats me badly.|They argue and do not talk any more.|I fight with my boss all the time.",
        "trouble between people|a fight with a colleague|a dispute in the team|bad treatment at work|colleagues who argue",
    ),
}
