"""What a state may say beside its topic: names of things, numbers, yes or no, and scales.

Phrases are separated by bars; the last of each list is kept for the test, the last but one for
calibration. ``{v}`` is the value, ``{t}`` a threshold.
"""

from __future__ import annotations

from dataclasses import dataclass

POOLS = {
    "city": "Berlin|Paris|Rome|Oslo|Madrid|Vienna|Lisbon|Prague|Zurich|Dublin|Athens|Warsaw|Lyon"
    "|Turin|Porto|Basel|Munich|Milan|Bergen|Graz",
    "person": "Anna|Ben|Clara|David|Emma|Felix|Greta|Hugo|Ines|Jonas|Karim|Lena|Mira|Nadia|Omar"
    "|Paul|Rosa|Sara|Tom|Vera|Ali|Nora|Peter|Maria",
    "product": "lamp|chair|table|kettle|phone|camera|printer|jacket|shirt|bicycle|blender|radio"
    "|sofa|mirror|keyboard|watch|bag|tent|drill|charger|vase|clock|carpet|oven",
    "colour": "red|blue|green|black|white|yellow|brown|grey|orange|pink|purple|silver",
    "day": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
    "month": "January|February|March|April|May|June|July|August|September|October|November"
    "|December",
    "room": "kitchen|cellar|garage|canteen|office|hall|library|workshop|meeting room|warehouse",
    "device": "laptop|router|screen|scanner|tablet|server|monitor|projector|headset|mouse",
    "department": "sales|finance|marketing|legal|research|purchasing|logistics|production",
    "method": "cash|card|transfer|cheque|voucher|invoice",
    "country": "Austria|Germany|France|Italy|Spain|Norway|Poland|Greece|Iceland|Portugal"
    "|Switzerland|Denmark",
    "currency": "EUR|USD|GBP|CHF|SEK|JPY|PLN",
    "cause": "fog|snow|strike|traffic|fire|flood|storm|theft|rust|heat",
    "count": "one|two|three|four|five|six|seven|eight|nine|ten",
}


@dataclass(frozen=True)
class Entity:
    """A thing with a name: sentences that say it, JSON keys, and how it is asked for."""

    pool: str
    says: str
    keys: str
    asks: str


ENTITIES = {
    "writer": Entity(
        "person",
        "This is {v} writing.|My name is {v}.|{v} here.|Regards, {v}|My name: {v}."
        "|Sincerely, {v}|Yours, {v}|It is {v} who writes this.|You can call me {v}."
        "|I am called {v}.|The sender is {v}.|I am {v}.|Written by {v}.",
        "name|author|from|writer|sender",
        "Who wrote this?|Who is the writer?|What is the name of the sender?|Name the author."
        "|Who is the sender?|What is the writer called?|Who sent this?|Whose message is it?"
        "|Which person wrote it?|Who is writing?",
    ),
    "helper": Entity(
        "person",
        "I spoke to {v} before.|{v} promised to help.|Please pass this on to {v}."
        "|{v} knows about it already.|{v} is my contact.|{v} has been told.|Ask {v} for details."
        "|Your colleague {v} was very kind on the phone.|{v} takes care of it."
        "|I already told {v}.|{v} should deal with it.|{v} looked at it last week."
        "|I talked with {v} about it.",
        "agent|contact|assigned_to|helper",
        "Who knows about it already?|Which colleague is named?|Who was asked to help?"
        "|Who has been told?|Whom did the writer talk to?|Who takes care of it?"
        "|Which colleague is the contact?|Who is the contact?|Which helper is named?",
    ),
    "origin": Entity(
        "city",
        "It was sent from {v}.|It left {v} yesterday.|It comes from {v}.|The start was in {v}."
        "|It was posted in {v}.|The sender lives in {v}.|It was on its way from {v}."
        "|It set off in {v}.|Its starting point is {v}.|It was handed in at {v}."
        "|It departed from {v}.|It started in {v}.|It was sent off in {v}.",
        "from_city|origin|start|source",
        "Where does it come from?|From which city was it sent?|Where did it start?"
        "|Where was it sent from?|What is the place of origin?|From where did it leave?"
        "|What is the starting city?|What is the origin?|Which city did it leave?",
    ),
    "goal": Entity(
        "city",
        "It should go to {v}.|It is meant for {v}.|Bring it to {v}, please.|The goal is {v}."
        "|Please send it to {v}.|It goes to {v}.|Deliver it to {v}.|The destination is {v}."
        "|It is bound for {v}.|It has to arrive in {v}.|The receiver lives in {v}."
        "|It must reach {v}.|It has to be brought to {v}.",
        "to_city|destination|goal|target",
        "Where should it go?|Which city is it meant for?|What is the destination?"
        "|To which city does it go?|Where does it have to arrive?|What is the target city?"
        "|Where is it going?|Where must it be brought?|Which city should it reach?",
    ),
    "product": Entity(
        "product",
        "It is about the {v}.|The {v} is meant.|I bought the {v} here.|I mean the {v}."
        "|I am talking about the {v}.|This concerns the {v} I bought.|I ordered a {v}."
        "|The item is a {v}.|My new {v} is the reason for this mail.|We bought a {v} from you."
        "|It was a {v} that I bought.|We speak of the {v}.|The thing in question is the {v}.",
        "product|item|article|goods",
        "Which product is meant?|What thing is it about?|Which item is named?"
        "|What is the product?|Which thing was bought?|What did the customer buy?"
        "|Which product is it?|What was bought?|Which article is it about?",
    ),
    "colour": Entity(
        "colour",
        "The colour is {v}.|I have it in {v}.|It is the {v} one.|Mine is {v}.|It is {v}."
        "|The one in {v} is mine.|I took it in {v}.|The shade is {v}.|They painted it {v}."
        "|I wanted {v}.|Its colour is {v}.|I chose {v}.|I have the {v} one.",
        "colour|shade|paint",
        "Which colour is it?|What colour does it have?|Which shade is named?"
        "|Which colour is named?|Name the colour.|Of what colour is it?|What is its shade?"
        "|What is the colour?|In which colour is it?",
    ),
    "day": Entity(
        "day",
        "It happened on {v}.|Since {v} it is like this.|I noticed it on {v}.|It began on {v}."
        "|It was on {v}.|It happened last {v}.|{v} was the day.|I have seen it since {v}."
        "|The trouble began on {v}.|On {v} I saw it.|It started last {v}.|On {v} it started."
        "|I saw it first on {v}.",
        "day|weekday|since",
        "On which day did it happen?|Since when is it like this?|Which day is named?"
        "|What day is named?|Which weekday was it?|When did it happen?|Since which day?"
        "|When did it begin?|On what day did it start?",
    ),
    "month": Entity(
        "month",
        "It is for {v}.|It belongs to {v}.|We mean the month of {v}.|That was in {v}."
        "|It is about {v}.|The period is {v}.|It was due in {v}."
        "|This one is for the month of {v}.|It refers to {v}.|We talk about {v}.|I mean {v}."
        "|It concerns {v}.|The month is {v}.",
        "month|period|billing_month",
        "Which month is it for?|What month is meant?|To which month does it belong?|Which month?"
        "|What is the month?|Which period is it?|For which month?|Name the month."
        "|Which month does it concern?",
    ),
    "room": Entity(
        "room",
        "It is in the {v}.|You find it in the {v}.|The place is the {v}.|We are in the {v}."
        "|Look in the {v}.|It stands in the {v}.|I saw it in the {v}.|The {v} is the place."
        "|We sit in the {v}.|It was found in the {v}.|Go to the {v}.|It happened in the {v}."
        "|Come to the {v}.",
        "room|place|location|where",
        "Where is it?|Which room is it in?|What is the place?|What is the location?"
        "|In which room is it?|Where did it happen?|Which place is named?"
        "|In which place did it happen?|Which room is named?",
    ),
    "device": Entity(
        "device",
        "The {v} is affected.|I use the {v}.|It concerns my {v}.|The {v} has the problem."
        "|The {v} does not work.|There is a problem with the {v}.|I work on the {v}."
        "|My {v} is the one with the trouble.|It is on my {v}.|The {v} is concerned."
        "|It affects the {v}.|My {v} shows it.|It is the {v} that has trouble.",
        "device|machine|hardware",
        "Which device is affected?|Which machine has the problem?|What device is it about?"
        "|What is the device?|Which device does not work?|What machine is it?"
        "|Which device is named?|Which hardware is named?|Which device has trouble?",
    ),
    "department": Entity(
        "department",
        "I work in {v}.|We are the {v} department.|The {v} team asks for it.|It comes from {v}."
        "|My department is {v}.|I am from {v}.|We belong to {v}.|The request comes from {v}."
        "|My team is {v}.|I am with the {v} group.|Here writes the {v} department."
        "|I write for the {v} team.|I belong to the {v} department.",
        "department|team|unit|group",
        "Which department is it?|Which team does it come from?|Where does the person work?"
        "|Which department asks?|From which team is the person?|What is the department?"
        "|In which department is the writer?|What is the unit?|Which team asks?",
    ),
    "method": Entity(
        "method",
        "We paid by {v}.|The payment was made by {v}.|I used {v} to pay.|Payment: {v}."
        "|Payment was by {v}.|I paid with {v}.|We used {v} for it.|It was paid with {v}."
        "|The way of payment was {v}.|I chose {v} as payment.|They paid by {v}."
        "|It was settled by {v}.|The money was paid by {v}.",
        "payment_method|method|paid_by",
        "How was it paid?|Which way of payment was used?|What is the payment method?"
        "|How did they pay?|With what was it paid?|What means of payment was used?"
        "|Which payment method?|By what means was it paid?|How was the payment made?",
    ),
    "country": Entity(
        "country",
        "I live in {v}.|Our home is {v}.|The country is {v}.|I write from {v}.|We live in {v}."
        "|I come from {v}.|My country is {v}.|We are at home in {v}."
        "|I am writing to you from {v}.|Our seat is in {v}.|I am in {v}.|We are based in {v}."
        "|My home is in {v}.",
        "country|land|nation",
        "Which country is it?|In which country does the person live?|What is the country?"
        "|Where does the writer live?|From which country is the person?|Which country is named?"
        "|In which country is it?|Name the country.|Which country is the home?",
    ),
    "currency": Entity(
        "currency",
        "The currency is {v}.|All sums are in {v}.|We count in {v}.|Amounts are given in {v}."
        "|The prices are in {v}.|We pay in {v}.|The amount is given in {v}."
        "|All is counted in {v}.|Our currency is {v}.|It is stated in {v}.|We use {v}."
        "|Paid in {v}.|The sums are given in {v}.",
        "currency|money_unit",
        "Which currency is used?|In what currency are the sums?|What is the currency?"
        "|In which currency is it?|Which currency is named?|What money is used?"
        "|Which currency do they use?|Name the currency.|Which currency are the amounts in?",
    ),
    "cause": Entity(
        "cause",
        "The reason was {v}.|It happened because of {v}.|The cause is {v}.|Due to {v}."
        "|The {v} caused it.|It came from {v}.|{v} was the reason.|{v} is behind it."
        "|We blame the {v}.|It was caused by {v}.|That was due to {v}.|{v} was to blame."
        "|It was because of {v}.",
        "cause|reason|because",
        "What was the reason?|Why did it happen?|What is the cause?|What caused it?"
        "|Which cause is named?|Why did that happen?|What was the cause?|What was to blame?"
        "|What is the reason?",
    ),
    "count": Entity(
        "count",
        "There are {v} of us.|We are {v} people.|It concerns {v} persons."
        "|{v} people are affected.|There were {v} people.|We will be {v} people."
        "|{v} persons took part.|In all {v} people are concerned.|Our group has {v} people."
        "|I come with a group of {v}.|It is about {v} guests.|We came with {v} people."
        "|{v} persons are affected.",
        "people|persons|guests",
        "How many people are there?|How many persons does it concern?"
        "|What is the number of people?|How many people?|How many guests are there?"
        "|How large is the group?|What is the number of persons?|How many are affected?"
        "|How many people is it about?",
    ),
}


@dataclass(frozen=True)
class Number:
    """A whole number from 1 to ``most``: sentences, JSON keys, questions with a threshold."""

    most: int
    says: str
    keys: str
    above: str
    below: str
    scale: str
    unit: str


NUMBERS = {
    "amount": Number(
        999,
        "The amount is {v} euros.|It cost {v} euros.|We speak of {v} euros.|I paid {v} euros."
        "|The bill is {v} euros.|It is worth {v} euros.|They want {v} euros."
        "|{v} euros were paid.|The price was {v} euros.|In total {v} euros.|I owe {v} euros."
        "|The total is {v} euros.|The sum of {v} euros is meant.",
        "amount|total|sum|price",
        "Is the amount above {t}?|Is the total over {t}?|Is it more than {t} euros?"
        "|Is it above {t} euros?|Is the price higher than {t}?|Is it over {t} euros?"
        "|Is the amount larger than {t} euros?|Did it cost more than {t}?"
        "|Does the sum exceed {t}?|Is the sum over {t} euros?",
        "Is the amount below {t}?|Is the total under {t}?|Is it less than {t} euros?"
        "|Is it below {t} euros?|Is the price lower than {t}?|Is it under {t} euros?"
        "|Is the amount smaller than {t} euros?|Did it cost less than {t}?"
        "|Is the sum lower than {t}?|Is the sum under {t} euros?",
        "How large is the amount?|How high is the total?|What size has the sum?"
        "|What is the amount?|How much is it?|What did it cost?|In which range is the amount?"
        "|How much money is it?|How large is the sum?",
        "euros",
    ),
    "days": Number(
        60,
        "That was {v} days ago.|I have waited {v} days.|It took {v} days.|It has been {v} days."
        "|It is {v} days old.|I am waiting for {v} days now.|It started {v} days ago."
        "|{v} days have gone by.|It lasted {v} days.|For {v} days nothing happened."
        "|{v} days have passed.|I waited for {v} days.",
        "days|days_waiting|age_days",
        "Is it more than {t} days?|Has it taken over {t} days?|Was it longer than {t} days?"
        "|Was it over {t} days?|Is the wait longer than {t} days?"
        "|Has it been more than {t} days?|Did it last longer than {t} days?"
        "|Is it above {t} days?|Did it take more than {t} days?",
        "Is it less than {t} days?|Has it taken under {t} days?|Was it shorter than {t} days?"
        "|Was it under {t} days?|Is the wait shorter than {t} days?"
        "|Has it been less than {t} days?|Did it last less than {t} days?|Is it below {t} days?"
        "|Did it take less than {t} days?",
        "How long did it take?|How many days has it been?|How long is the wait?"
        "|How many days were it?|How long has it been?|How many days did it last?"
        "|In which range are the days?|How many days did it take?|How long did the person wait?",
        "days",
    ),
    "weight": Number(
        99,
        "It weighs {v} kg.|The weight is {v} kg.|With {v} kg it is what it is.|{v} kg in all."
        "|Its weight is {v} kg.|It has a weight of {v} kg.|On the scale it shows {v} kg."
        "|The parcel is {v} kg heavy.|It comes to {v} kg.|The total weight is {v} kg."
        "|The box has {v} kg.|The box weighs {v} kg.",
        "weight_kg|kg|weight",
        "Does it weigh more than {t} kg?|Is the weight over {t} kg?|Is it heavier than {t} kg?"
        "|Is it over {t} kg?|Does the box weigh more than {t} kg?|Is it above {t} kg?"
        "|Is the parcel heavier than {t} kg?|Is the weight above {t}?|Is it more than {t} kg?",
        "Does it weigh less than {t} kg?|Is the weight under {t} kg?|Is it lighter than {t} kg?"
        "|Is it under {t} kg?|Does the box weigh less than {t} kg?|Is it below {t} kg?"
        "|Is the parcel lighter than {t} kg?|Is the weight below {t}?|Is it less than {t} kg?",
        "How heavy is it?|What is the weight?|How much does it weigh?|What does it weigh?"
        "|How heavy is the parcel?|Which weight does it have?|In which range is the weight?"
        "|In which weight class is it?|How heavy is the box?",
        "kg",
    ),
    "percent": Number(
        99,
        "The load is at {v} percent.|It stands at {v} percent.|{v} percent are used."
        "|The level is {v} percent.|It is {v} percent full.|The usage is {v} percent."
        "|We use {v} percent.|Now it is at {v} percent.|The meter shows {v} percent."
        "|It has reached {v} percent.|We are at {v} percent.|The load stands at {v} percent.",
        "percent|load|level|usage",
        "Is the load above {t} percent?|Is more than {t} percent used?|Is the level over {t}?"
        "|Is it over {t} percent?|Is the usage above {t} percent?"
        "|Is it at more than {t} percent?|Does it exceed {t} percent?|Is it above {t} percent?"
        "|Is the level above {t} percent?",
        "Is the load below {t} percent?|Is less than {t} percent used?|Is the level under {t}?"
        "|Is it under {t} percent?|Is the usage below {t} percent?"
        "|Is it at less than {t} percent?|Is it lower than {t} percent?|Is it below {t} percent?"
        "|Is the level below {t} percent?",
        "How high is the load?|How much is used?|How high is the level?|How full is it?"
        "|How many percent is it?|What is the usage?|In which range is the load?"
        "|What is the level?|How much is in use?",
        "percent",
    ),
    "pieces": Number(
        99,
        "It is {v} pieces.|We need {v} pieces.|There are {v} pieces.|The number is {v}."
        "|I have {v} pieces here.|The quantity is {v}.|{v} pieces are needed."
        "|They sent {v} pieces.|Please send {v} pieces.|There are {v} of them."
        "|We ordered {v} pieces.|We have {v} pieces.",
        "pieces|quantity|count|stock",
        "Are there more than {t} pieces?|Is the number above {t}?|Is it over {t} pieces?"
        "|Are they more than {t}?|Is the quantity above {t}?|Is it above {t} pieces?"
        "|Are there over {t} pieces?|Are more than {t} needed?|Is it more than {t} pieces?",
        "Are there fewer than {t} pieces?|Is the number below {t}?|Is it under {t} pieces?"
        "|Are they fewer than {t}?|Is the quantity below {t}?|Is it below {t} pieces?"
        "|Are there under {t} pieces?|Are fewer than {t} needed?|Is it fewer than {t} pieces?",
        "How many pieces?|How large is the number?|How many are there?"
        "|What is the number of pieces?|How many pieces is it?|How many were ordered?"
        "|In which range is the number?|What is the quantity?|How many pieces are there?",
        "pieces",
    ),
}


@dataclass(frozen=True)
class Flag:
    """Yes or no: sentences for both, JSON keys, and questions whose answer is yes or no."""

    true: str
    false: str
    keys: str
    asks: str
    denies: str  # asks for the opposite


FLAGS = {
    "paid": Flag(
        "The bill has been paid.|We have paid already.|Payment was made.|The money was sent."
        "|I paid it on Monday.|The payment went through.|We have transferred the money."
        "|The invoice has been settled.|Everything is paid.|The sum was paid in full."
        "|The amount has been transferred.|I paid the whole bill.|They paid last week."
        "|The bill is paid.|It is settled.|The bill was paid already.",
        "The bill has not been paid.|We have not paid yet.|No payment was made."
        "|It is still unpaid.|I have not paid it.|The payment did not go through."
        "|We still have to pay.|The invoice is not settled.|The bill remains open."
        "|I have paid nothing so far.|The amount was never transferred."
        "|Payment is still missing.|They never paid.|The bill is unpaid.|Nothing has been paid."
        "|The bill was not paid yet.",
        "paid|settled|payment_done",
        "Has it been paid?|Is the bill paid?|Was a payment made?|Did they pay?"
        "|Has the invoice been settled?|Is the payment done?|Has the money been sent?"
        "|Did the person pay the bill?|Has somebody paid?|Is everything paid?|Is it settled?"
        "|Was it paid?",
        "Is it still unpaid?|Is payment missing?|Is the invoice not settled?|Has nobody paid?"
        "|Is the money still missing?|Was it not paid?|Does the bill remain open?"
        "|Is the bill still open?|Is it unpaid?",
    ),
    "approved": Flag(
        "My manager has approved it.|It was approved.|The boss agrees.|We have the approval."
        "|The manager gave his approval.|My boss said it is fine."
        "|It has been approved by the head.|The request was granted.|Permission was given."
        "|The director agreed to it.|My supervisor has given permission."
        "|We got a yes from the manager.|It is approved.|The management has agreed."
        "|The boss said yes.|The manager said yes and approved it.",
        "My manager has not approved it.|It was not approved yet.|The boss does not agree."
        "|There is no approval.|The manager refused it.|My boss said it is not allowed."
        "|It has been rejected by the head.|The request was denied.|Permission was not given."
        "|The director did not agree to it.|My supervisor has given no permission."
        "|We got a no from the manager.|It is not approved.|The management has not agreed."
        "|The boss said no.|The manager said no and did not approve it.",
        "approved|approval|manager_ok",
        "Has it been approved?|Is there an approval?|Does the manager agree?|Did the boss agree?"
        "|Was permission given?|Has the request been granted?|Is it approved?"
        "|Does the boss allow it?|Has the manager given approval?|Is there permission?"
        "|Was it approved?|Did the boss approve it?",
        "Is the approval missing?|Was it refused by the manager?|Was it rejected?"
        "|Did the boss refuse?|Was the request denied?|Is there no permission?"
        "|Was permission not given?|Is there no approval?|Is an approval missing?",
    ),
    "attached": Flag(
        "A photo is attached.|I attach a photo.|Please see the picture I added."
        "|Photos are attached.|I have added a photo.|The picture is in the attachment."
        "|See the attached image.|I enclose a photograph.|Here is a photo of it."
        "|A picture is included.|I send two pictures along.|There is an image attached."
        "|You can see it in the photo.|The photos are with this mail.|You find a picture below."
        "|I have attached a picture.",
        "I have no photo.|No photo is attached.|I could not take a picture."
        "|There are no pictures.|There is no photo.|The picture is not in the attachment."
        "|I have no image of it.|I enclose no photograph.|I forgot to add a photo."
        "|No picture is included.|I send no pictures.|There is no image attached."
        "|I have not taken a photo.|The photos are missing from this mail."
        "|I cannot send a photo.|I did not attach a picture.",
        "photo|has_photo|attachment",
        "Is a photo attached?|Are there pictures?|Does the writer send a photo?"
        "|Is there a photo?|Is an image included?|Did the writer add a picture?"
        "|Are photos attached?|Is a picture in the attachment?|Does it come with a photo?"
        "|Has a photo been sent?|Is there a picture?|Was a picture attached?",
        "Is the photo missing?|Are there no pictures?|Is there no photo?|Is no image included?"
        "|Does the picture lack?|Did the writer not send a photo?|Was no picture added?"
        "|Is no photo attached?|Is a picture missing?",
    ),
    "signed": Flag(
        "The contract is signed.|I have signed it.|The signature is there."
        "|Both sides have signed.|The paper is signed.|They signed it yesterday."
        "|I put my signature on it.|The document has been signed.|It was signed by both of us."
        "|My signature is on the paper.|He has signed the document.|The signed contract is here."
        "|All have signed.|The agreement was signed.|It carries a signature."
        "|We have signed the contract.",
        "The contract is not signed.|I have not signed it.|The signature is missing."
        "|Nobody has signed yet.|The paper is unsigned.|They did not sign it."
        "|I have not put my signature on it.|The document has not been signed."
        "|It was not signed by any of us.|My signature is not on the paper."
        "|He has not signed the document.|The contract still waits for a signature."
        "|No one signed it.|The agreement was never signed.|It carries no signature."
        "|We have not signed the contract.",
        "signed|signature",
        "Is it signed?|Is there a signature?|Has the contract been signed?|Did they sign it?"
        "|Has it been signed?|Is the document signed?|Is a signature on it?"
        "|Have they signed the contract?|Does it carry a signature?|Is the paper signed?"
        "|Was it signed?|Did someone sign it?",
        "Is the signature missing?|Is it unsigned?|Has nobody signed it?"
        "|Is the document unsigned?|Does it lack a signature?|Was it not signed?"
        "|Is it not signed yet?|Is there no signature?|Is it still unsigned?",
    ),
    "insured": Flag(
        "The goods are insured.|We have insurance.|It is insured.|The insurance pays for it."
        "|It has insurance.|The shipment is insured.|Our insurance covers it."
        "|There is full insurance cover.|I took out insurance for it."
        "|The parcel was sent with insurance.|The insurance will pay.|I am insured."
        "|The loss is covered by insurance.|We insured the goods.|There is insurance."
        "|We have insurance for it.",
        "The goods are not insured.|We have no insurance.|It is not insured."
        "|The insurance does not pay.|It has no insurance.|The shipment is not insured."
        "|Our insurance does not cover it.|There is no insurance cover."
        "|I took out no insurance for it.|The parcel was sent without insurance."
        "|The insurance will not pay.|I am not insured.|The loss is not covered by insurance."
        "|We did not insure the goods.|There is no insurance.|We have no insurance for it.",
        "insured|insurance",
        "Is it insured?|Is there an insurance?|Are the goods insured?|Does the insurance pay?"
        "|Is it covered by insurance?|Was it insured?|Does it have insurance?"
        "|Is the shipment insured?|Is there cover by insurance?|Are they insured?"
        "|Does insurance exist?|Is there insurance for it?",
        "Is it without insurance?|Is it uninsured?|Does the insurance not pay?"
        "|Was it not insured?|Is it not covered by insurance?|Does it have no insurance?"
        "|Is insurance missing?|Is there no insurance?",
    ),
    "answered": Flag(
        "You answered me last week.|I got an answer.|Someone has replied.|I received a reply."
        "|They replied to my mail.|I have had a reply from you.|You wrote back to me."
        "|My question was answered.|Someone called me back.|You responded quickly."
        "|Your answer reached me.|A colleague of yours has answered.|I heard back from you."
        "|My letter was answered.|You have called me back.|I have received an answer.",
        "Nobody has answered me.|I got no answer.|No one replied.|I never received a reply."
        "|They did not reply to my mail.|I have had no reply from you."
        "|You did not write back to me.|My question was not answered.|No one called me back."
        "|You never responded.|No answer reached me.|None of your colleagues has answered."
        "|I have not heard back from you.|My letter was not answered."
        "|You have not called me back.|I have received no answer.",
        "answered|replied|reply_sent",
        "Has the person got an answer?|Was there a reply?|Did someone answer?|Did they reply?"
        "|Has someone replied?|Did the writer get a reply?|Was the question answered?"
        "|Did anyone respond?|Has somebody called back?|Was there an answer?|Was it answered?"
        "|Did the person receive a reply?",
        "Is the person still without an answer?|Is a reply missing?|Did no one respond?"
        "|Was there no reply?|Is there no answer yet?|Was the question not answered?"
        "|Does the writer still wait for a reply?|Did nobody answer?|Did nobody reply?",
    ),
    "member": Flag(
        "I am a member of your club.|We are members.|I have a member card.|I joined the club."
        "|I belong to your club.|I have been a member for years.|We have a membership."
        "|I am in the club.|My member number is here.|I became a member last year."
        "|I still have my membership.|As a member I ask you for help.|My wife and I are members."
        "|My card says that I am a member.|My membership is active."
        "|I am a member and have a card.",
        "I am not a member.|We are no members.|I have no member card.|I never joined the club."
        "|I do not belong to your club.|I have never been a member.|We have no membership."
        "|I am not in the club.|I have no member number.|I left the club last year."
        "|I gave up my membership.|I ask you as somebody who is not a member."
        "|My wife and I are not members.|My member card is no longer valid."
        "|My membership has ended.|I am not a member and have no card.",
        "member|is_member|club",
        "Is the person a member?|Does the writer have a membership?|Is there a member card?"
        "|Does the writer belong to the club?|Are they members?|Is there a membership?"
        "|Is he or she a member?|Has the person joined the club?"
        "|Does the person have a member card?|Is the writer in the club?|Is the writer a member?"
        "|Is the person in the club?",
        "Is the person not a member?|Are they not members?|Is the writer not in the club?"
        "|Has the person left the club?|Is there no member card?"
        "|Does the person have no membership?|Is there no membership?|Is a membership missing?",
    ),
    "hurt": Flag(
        "One person was hurt.|Somebody was injured.|A man was taken to hospital.|I was hurt."
        "|There were injuries.|A worker was hurt.|Two people had to see a doctor."
        "|Someone got injured.|I cut my hand badly.|A child was hurt.|The driver has injuries."
        "|She broke her leg in the accident.|People were harmed."
        "|An ambulance took the injured man away.|There are injured people."
        "|A woman was injured and taken to hospital.",
        "Nobody was hurt.|No one was injured.|Luckily there are no injured people."
        "|No person was hurt.|There were no injuries.|No worker was hurt."
        "|Nobody had to see a doctor.|No one got injured.|Everyone is safe and well."
        "|No child was hurt.|The driver has no injuries.|She was not hurt in the accident."
        "|No people were harmed.|No ambulance was needed, all are well.|We are all unhurt."
        "|Nobody was injured or taken to hospital.",
        "injured|hurt|injury",
        "Was anybody hurt?|Are there injured people?|Was someone injured?|Was anyone injured?"
        "|Did somebody get hurt?|Are there injuries?|Is someone hurt?|Were people harmed?"
        "|Has anyone been hurt?|Are there injured persons?|Did anyone get hurt?"
        "|Was a person injured?",
        "Is everybody unhurt?|Was nobody hurt?|Was no one injured?|Is everybody safe?"
        "|Are there no injuries?|Did nobody get hurt?|Were no people harmed?"
        "|Are all people unhurt?|Was nobody injured?",
    ),
    "fragile": Flag(
        "It is fragile.|Handle it with care, it breaks easily.|The goods break easily."
        "|It is made of thin glass.|It can break.|The contents are fragile."
        "|It breaks if you drop it.|Handle it with care, it can shatter."
        "|The goods are made of glass.|It is very delicate.|The things in it break easily."
        "|It is thin glass.|The item is breakable.|Careful, it is fragile.|Fragile goods."
        "|It is fragile and breaks easily.",
        "It is not fragile.|It does not break easily.|The goods are sturdy.|It is made of steel."
        "|It cannot break.|The contents are not fragile.|It does not break if you drop it."
        "|No care is needed, it is robust.|The goods are made of metal.|It is very robust."
        "|The things in it do not break easily.|It is solid steel.|The item is unbreakable."
        "|No worry, it is sturdy.|Sturdy goods.|It is sturdy and not fragile.",
        "fragile|breakable",
        "Is it fragile?|Does it break easily?|Are the goods fragile?|Is it delicate?"
        "|Must it be handled with care?|Can the goods break?|Is the item breakable?"
        "|Are the contents fragile?|Would it break when dropped?|Is it made of glass?"
        "|Is it breakable?|Can it break easily?",
        "Is it sturdy?|Is it robust?|Is it unbreakable?|Are the contents sturdy?"
        "|Is it not fragile?|Can one drop it without harm?|Is it safe from breaking?"
        "|Are the goods sturdy?",
    ),
    "confirmed": Flag(
        "The date is confirmed.|They confirmed it.|I have a confirmation."
        "|It was confirmed by mail.|The appointment is confirmed.|You confirmed the date."
        "|We have your confirmation.|The booking was confirmed.|The hotel has confirmed."
        "|The confirmation has arrived.|They said the date is fixed."
        "|The time has been confirmed.|Everything is confirmed.|I received the confirmation."
        "|It is confirmed.|We got a confirmation by mail.",
        "The date is not confirmed.|They did not confirm it.|I have no confirmation."
        "|It was never confirmed.|The appointment is not confirmed."
        "|You did not confirm the date.|We do not have your confirmation."
        "|The booking was not confirmed.|The hotel has not confirmed."
        "|The confirmation has not arrived.|They said the date is still open."
        "|The time has not been confirmed.|Nothing is confirmed."
        "|I did not receive the confirmation.|It is not confirmed."
        "|We got no confirmation by mail.",
        "confirmed|confirmation",
        "Is it confirmed?|Was the date confirmed?|Is there a confirmation?"
        "|Has it been confirmed?|Was the booking confirmed?|Do they have a confirmation?"
        "|Is the date confirmed?|Did the confirmation arrive?|Is the appointment confirmed?"
        "|Has the date been fixed?|Did they confirm it?|Was there a confirmation?",
        "Is the confirmation missing?|Was it not confirmed?|Is the date still open?"
        "|Did no confirmation arrive?|Is the booking unconfirmed?|Has nobody confirmed it?"
        "|Is it still unconfirmed?|Is there no confirmation?",
    ),
}


@dataclass(frozen=True)
class Scale:
    """Ordered levels, lowest first: per level its sentences and its descriptions; questions."""

    levels: tuple[tuple[str, str], ...]
    asks: str
    key: str


SCALES = {
    "urgency": Scale(
        (
            (
                "There is no hurry.|Take your time.|It can wait.|Whenever you find time."
                "|It is not urgent.|It is not pressing.|Any time is fine."
                "|There is plenty of time.|No rush.|Do it when you can."
                "|Next month is early enough.|It does not matter when.|There is no deadline."
                "|No need to hurry.|It can wait, there is no hurry at all.",
                "no hurry|can wait|whenever there is time|not pressing|any time|no rush|some day"
                "|when you can|low urgency|no deadline|not urgent|it can wait",
            ),
            (
                "Please do it this week.|I need it within a few days.|This week would be good."
                "|In the next days, please.|I hope for help this week.|By Friday would be fine."
                "|Within the week, please.|It should be done in two or three days."
                "|Please see to it in the coming days."
                "|It would be good to have it before the weekend.|A few days are all right."
                "|It should be done by the end of the week.|Please do it within this week.",
                "this week|within a few days|in the next days|within the week"
                "|in two or three days|before the weekend|in a few days|by Friday"
                "|soon but not today|by the end of the week|some time this week",
            ),
            (
                "I need it today.|Please do it by tonight.|It must be done today."
                "|Today is the last day.|Please finish it today."
                "|I need an answer before tonight.|It has to be done by this evening."
                "|The deadline is today.|I need it in the next hours."
                "|Before five o'clock today, please.|Still today, please."
                "|It cannot wait until tomorrow.|Before the end of the day, please."
                "|It must be ready by tonight.",
                "today|by tonight|before the end of the day|by this evening|within hours"
                "|before tonight|today if possible|not later than today|in the next hours"
                "|on the same day|still today",
            ),
            (
                "It is urgent, act now.|Please help at once.|Do it immediately."
                "|Right now, every minute counts.|This is an emergency.|Please act at once."
                "|We need help this minute.|It cannot wait a second.|Extremely urgent!"
                "|Help now, please.|Drop everything, this is urgent.|React instantly."
                "|As fast as you can, it is an emergency.|Urgent! Please call me right away."
                "|Come immediately!|Help us right now, it is an emergency.",
                "at once|immediately|right now|this minute|instantly|right away|extremely urgent"
                "|urgent|as fast as possible|within minutes|an emergency|now, at once",
            ),
        ),
        "How urgent is it?|How soon must someone act?|How soon is it needed?"
        "|When must it be done?|How pressing is it?|What is the urgency?|By when is it needed?"
        "|How quickly must it be done?|How fast must someone react?|When should it be ready?"
        "|Rate the urgency.|How soon does it have to be done?",
        "urgency",
    ),
    "mood": Scale(
        (
            (
                "I am furious.|This is a disgrace.|I am very angry.|You should be ashamed."
                "|Never again, I am so angry.|I am outraged.|I am really mad at you."
                "|This is a scandal.|I am boiling with rage.|It is the worst I ever saw."
                "|I am so angry that I could scream.|What an outrage, shame on you."
                "|It is terrible and I hate it.|I hate this."
                "|This makes me furious and very angry.",
                "furious|very angry|full of rage|outraged|mad|enraged|hateful|full of anger"
                "|very unhappy|extremely upset|hates it|angry",
            ),
            (
                "I am a bit disappointed.|I am not happy with this.|That is not nice."
                "|I expected more.|I am not satisfied.|It could be better.|I am a little upset."
                "|It is a pity.|I am annoyed.|Not what I hoped for.|I am rather unhappy."
                "|It is disappointing.|It annoys me.|I am disappointed and expected more.",
                "disappointed|not happy|a bit annoyed|not satisfied|a little upset"
                "|rather unhappy|dissatisfied|slightly angry|somewhat disappointed|unhappy"
                "|annoyed",
            ),
            (
                "It is okay.|It is all right.|Nothing special.|It is neither good nor bad."
                "|It is average.|I have no strong feelings.|It is acceptable."
                "|Neither great nor terrible.|It is fine, no more.|It does the job."
                "|I do not mind.|Not good, not bad.|So-so.|It is okay, nothing special.",
                "neutral|okay|neither good nor bad|average|no strong feelings|acceptable"
                "|indifferent|fine|neither happy nor unhappy|so-so|all right",
            ),
            (
                "I am happy with it.|I like it.|It is good.|I am pleased.|That was nice."
                "|I am glad about it.|It is nice.|I am content with it.|Good work.|It went well."
                "|I quite like it.|It pleases me.|I am satisfied.|I like it and am pleased.",
                "happy|pleased|likes it|glad|fairly happy|quite content|good mood|rather pleased"
                "|fond of it|satisfied|content",
            ),
            (
                "I love it.|It is wonderful.|I am delighted.|The best ever.|Absolutely perfect."
                "|I am overjoyed.|It is the best thing ever.|I am thrilled."
                "|I could not be happier.|Just amazing.|It is brilliant, I am so happy."
                "|Great, great, great!|I adore it.|Superb, I am full of joy."
                "|Fantastic, I am so glad.|It is wonderful, I am delighted.",
                "delighted|very happy|loves it|overjoyed|thrilled|extremely happy|enthusiastic"
                "|very pleased|could not be happier|very satisfied|full of joy|full of praise",
            ),
        ),
        "How satisfied is the writer?|How happy is the person?|What is the mood?"
        "|How does the writer feel?|How content is the writer?"
        "|What is the feeling of the writer?|How is the mood of the person?"
        "|What does the writer feel?|Is the writer happy or angry?"
        "|How satisfied is the customer?|Rate the mood.|How pleased is the person?",
        "mood",
    ),
    "severity": Scale(
        (
            (
                "It is only cosmetic.|Nobody is bothered by it.|It is a tiny flaw."
                "|It is just a matter of looks.|Hardly anyone sees it.|It is nothing but a typo."
                "|It has no effect on the work.|A small blemish, nothing else.|No one minds it."
                "|It is negligible.|It is a trifle.|You hardly notice it."
                "|It is a tiny flaw that nobody notices.",
                "cosmetic|tiny|hardly noticed|only looks|negligible|no effect|a blemish|a trifle"
                "|nobody minds|very small|trivial|a tiny flaw",
            ),
            (
                "Some people are slowed down.|It is a minor problem."
                "|Work goes on, with small trouble.|A few people are affected."
                "|It is a bit of a nuisance.|It makes the work slower.|There is a way around it."
                "|Only one team is hindered.|We can still work.|It is a little trouble."
                "|The problem is limited.|It is a small problem.|It is minor, work goes on.",
                "minor|a small problem|some are slowed down|a nuisance|limited"
                "|a few are affected|a way around exists|slight|one team is hindered"
                "|work goes on|small",
            ),
            (
                "Many people cannot work.|It is a major problem.|A big part does not work."
                "|A lot of people are affected.|Most of us cannot work."
                "|A large part is out of order.|It is a grave problem.|Whole teams are blocked."
                "|Important things do not work.|The damage is considerable."
                "|Half of the company stands still.|It is serious."
                "|It is a big problem for many people.",
                "major|serious|many cannot work|grave|large|whole teams are blocked"
                "|most cannot work|considerable|half is out|a big part is out|big",
            ),
            (
                "Everything is down.|Nobody can work.|It is a total outage."
                "|All of it has stopped.|Nothing works any more.|The whole company stands still."
                "|All systems are dead.|It is a catastrophe.|No one can do anything."
                "|The complete system has failed.|It is a disaster.|Everything is broken."
                "|It is critical.|Everything has stopped, nobody can work.",
                "critical|everything is down|total outage|catastrophe|a disaster|nothing works"
                "|all systems are dead|complete failure|the whole company stands still|very high"
                "|nobody can work|all is down",
            ),
        ),
        "How severe is it?|How serious is the problem?|How bad is it?|What is the impact?"
        "|How grave is it?|How big is the impact?|What is the severity?|How large is the damage?"
        "|How serious is it?|How much does it hinder the work?|Rate the severity."
        "|How bad is the problem?",
        "severity",
    ),
    "stars": Scale(
        (
            (
                "One star.|1 star.|It gets one star.|My rating: 1 star.|Only one star for this."
                "|I rate it one star.|One out of five stars.|I give one star.|One star from me.",
                "1 star|1 of 5|one star only|a single star|one star|one of five",
            ),
            (
                "Two stars.|2 stars.|It gets two stars.|My rating: 2 stars."
                "|Only two stars for this.|I rate it two stars.|Two out of five stars."
                "|I give two stars.|Two stars from me.",
                "2 stars|2 of 5|two stars only|two stars|two of five",
            ),
            (
                "Three stars.|3 stars.|It gets three stars.|My rating: 3 stars."
                "|Three stars for this.|I rate it three stars.|Three out of five stars."
                "|I give three stars.|Three stars from me.",
                "3 stars|3 of 5|three stars only|three stars|three of five",
            ),
            (
                "Four stars.|4 stars.|It gets four stars.|My rating: 4 stars."
                "|Four stars for this.|I rate it four stars.|Four out of five stars."
                "|I give four stars.|Four stars from me.",
                "4 stars|4 of 5|four stars, not five|four stars|four of five",
            ),
            (
                "Five stars.|5 stars.|It gets five stars.|My rating: 5 stars."
                "|All five stars for this.|I rate it five stars.|Five out of five stars."
                "|I give five stars.|Five stars from me.",
                "5 stars|5 of 5|all five stars|five stars|five of five",
            ),
        ),
        "How many stars are given?|What is the rating?|How many stars?|How is it rated?"
        "|What rating does it get?|How many stars does the writer give?"
        "|What is the number of stars?|Which rating is given?|How many stars does it get?",
        "rating",
    ),
    "priority": Scale(
        (
            (
                "The priority is low.|Low priority.|Its priority is low."
                "|This has a low priority.|I would give it a low priority."
                "|Treat it with low priority.|It has low priority.|Priority: low",
                "low|low priority",
            ),
            (
                "The priority is medium.|Medium priority.|Its priority is medium."
                "|This has a medium priority.|I would give it a medium priority."
                "|Treat it with medium priority.|It has medium priority.|Priority: medium",
                "medium|medium priority",
            ),
            (
                "The priority is high.|High priority.|Its priority is high."
                "|This has a high priority.|I would give it a high priority."
                "|Treat it with high priority.|It has high priority.|Priority: high",
                "high|high priority",
            ),
        ),
        "What is the priority?|Which priority does it have?|How important is it?"
        "|How high is the priority?|What priority is given?|Which priority is it?"
        "|Say how important it is.|Rate the priority.|What priority has it?",
        "priority",
    ),
}
