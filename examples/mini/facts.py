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
        "This is {v} writing.|My name is {v}.|{v} here.|Regards, {v}|I am {v}.|Written by {v}.",
        "name|author|from|writer|sender",
        "Who wrote this?|Who is the writer?|What is the name of the sender?|Name the author."
        "|Which person wrote it?|Who is writing?",
    ),
    "helper": Entity(
        "person",
        "I spoke to {v} before.|{v} promised to help.|Please pass this on to {v}."
        "|{v} knows about it already.|{v} looked at it last week.|I talked with {v} about it.",
        "agent|contact|assigned_to|helper",
        "Who knows about it already?|Which colleague is named?|Who was asked to help?"
        "|Who is the contact?|Which helper is named?",
    ),
    "origin": Entity(
        "city",
        "It was sent from {v}.|It left {v} yesterday.|It comes from {v}.|The start was in {v}."
        "|It started in {v}.|It was sent off in {v}.",
        "from_city|origin|start|source",
        "Where does it come from?|From which city was it sent?|Where did it start?"
        "|What is the origin?|Which city did it leave?",
    ),
    "goal": Entity(
        "city",
        "It should go to {v}.|It is meant for {v}.|Bring it to {v}, please.|The goal is {v}."
        "|It must reach {v}.|It has to be brought to {v}.",
        "to_city|destination|goal|target",
        "Where should it go?|Which city is it meant for?|What is the destination?"
        "|Where must it be brought?|Which city should it reach?",
    ),
    "product": Entity(
        "product",
        "It is about the {v}.|The {v} is meant.|I bought the {v} here.|I mean the {v}."
        "|We speak of the {v}.|The thing in question is the {v}.",
        "product|item|article|goods",
        "Which product is meant?|What thing is it about?|Which item is named?"
        "|What was bought?|Which article is it about?",
    ),
    "colour": Entity(
        "colour",
        "The colour is {v}.|I have it in {v}.|It is the {v} one.|Mine is {v}."
        "|I chose {v}.|I have the {v} one.",
        "colour|shade|paint",
        "Which colour is it?|What colour does it have?|Which shade is named?"
        "|What is the colour?|In which colour is it?",
    ),
    "day": Entity(
        "day",
        "It happened on {v}.|Since {v} it is like this.|I noticed it on {v}.|It began on {v}."
        "|On {v} it started.|I saw it first on {v}.",
        "day|weekday|since",
        "On which day did it happen?|Since when is it like this?|Which day is named?"
        "|When did it begin?|On what day did it start?",
    ),
    "month": Entity(
        "month",
        "It is for {v}.|It belongs to {v}.|We mean the month of {v}.|That was in {v}."
        "|It concerns {v}.|The month is {v}.",
        "month|period|billing_month",
        "Which month is it for?|What month is meant?|To which month does it belong?"
        "|Name the month.|Which month does it concern?",
    ),
    "room": Entity(
        "room",
        "It is in the {v}.|You find it in the {v}.|The place is the {v}.|We are in the {v}."
        "|It happened in the {v}.|Come to the {v}.",
        "room|place|location|where",
        "Where is it?|Which room is it in?|What is the place?|In which place did it happen?"
        "|Which room is named?",
    ),
    "device": Entity(
        "device",
        "The {v} is affected.|I use the {v}.|It concerns my {v}.|The {v} has the problem."
        "|My {v} shows it.|It is the {v} that has trouble.",
        "device|machine|hardware",
        "Which device is affected?|Which machine has the problem?|What device is it about?"
        "|Which hardware is named?|Which device has trouble?",
    ),
    "department": Entity(
        "department",
        "I work in {v}.|We are the {v} department.|The {v} team asks for it."
        "|It comes from {v}.|I write for the {v} team.|I belong to the {v} department.",
        "department|team|unit|group",
        "Which department is it?|Which team does it come from?|Where does the person work?"
        "|What is the unit?|Which team asks?",
    ),
    "method": Entity(
        "method",
        "We paid by {v}.|The payment was made by {v}.|I used {v} to pay.|Payment: {v}."
        "|It was settled by {v}.|The money was paid by {v}.",
        "payment_method|method|paid_by",
        "How was it paid?|Which way of payment was used?|What is the payment method?"
        "|By what means was it paid?|How was the payment made?",
    ),
    "country": Entity(
        "country",
        "I live in {v}.|Our home is {v}.|The country is {v}.|I write from {v}."
        "|We are based in {v}.|My home is in {v}.",
        "country|land|nation",
        "Which country is it?|In which country does the person live?|What is the country?"
        "|Name the country.|Which country is the home?",
    ),
    "currency": Entity(
        "currency",
        "The currency is {v}.|All sums are in {v}.|We count in {v}.|Amounts are given in {v}."
        "|Paid in {v}.|The sums are given in {v}.",
        "currency|money_unit",
        "Which currency is used?|In what currency are the sums?|What is the currency?"
        "|Name the currency.|Which currency are the amounts in?",
    ),
    "cause": Entity(
        "cause",
        "The reason was {v}.|It happened because of {v}.|The cause is {v}.|Due to {v}."
        "|{v} was to blame.|It was because of {v}.",
        "cause|reason|because",
        "What was the reason?|Why did it happen?|What is the cause?|What was to blame?"
        "|What is the reason?",
    ),
    "count": Entity(
        "count",
        "There are {v} of us.|We are {v} people.|It concerns {v} persons.|{v} people are affected."
        "|We came with {v} people.|{v} persons are affected.",
        "people|persons|guests",
        "How many people are there?|How many persons does it concern?|What is the number of people?"
        "|How many are affected?|How many people is it about?",
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
        "|The total is {v} euros.|The sum of {v} euros is meant.",
        "amount|total|sum|price",
        "Is the amount above {t}?|Is the total over {t}?|Is it more than {t} euros?"
        "|Does the sum exceed {t}?|Is the sum over {t} euros?",
        "Is the amount below {t}?|Is the total under {t}?|Is it less than {t} euros?"
        "|Is the sum lower than {t}?|Is the sum under {t} euros?",
        "How large is the amount?|How high is the total?|What size has the sum?"
        "|How much money is it?|How large is the sum?",
        "euros",
    ),
    "days": Number(
        60,
        "That was {v} days ago.|I have waited {v} days.|It took {v} days.|It has been {v} days."
        "|{v} days have passed.|I waited for {v} days.",
        "days|days_waiting|age_days",
        "Is it more than {t} days?|Has it taken over {t} days?|Was it longer than {t} days?"
        "|Is it above {t} days?|Did it take more than {t} days?",
        "Is it less than {t} days?|Has it taken under {t} days?|Was it shorter than {t} days?"
        "|Is it below {t} days?|Did it take less than {t} days?",
        "How long did it take?|How many days has it been?|How long is the wait?"
        "|How many days did it take?|How long did the person wait?",
        "days",
    ),
    "weight": Number(
        99,
        "It weighs {v} kg.|The weight is {v} kg.|With {v} kg it is what it is.|{v} kg in all."
        "|The box has {v} kg.|The box weighs {v} kg.",
        "weight_kg|kg|weight",
        "Does it weigh more than {t} kg?|Is the weight over {t} kg?|Is it heavier than {t} kg?"
        "|Is the weight above {t}?|Is it more than {t} kg?",
        "Does it weigh less than {t} kg?|Is the weight under {t} kg?|Is it lighter than {t} kg?"
        "|Is the weight below {t}?|Is it less than {t} kg?",
        "How heavy is it?|What is the weight?|How much does it weigh?|In which weight class is it?"
        "|How heavy is the box?",
        "kg",
    ),
    "percent": Number(
        99,
        "The load is at {v} percent.|It stands at {v} percent.|{v} percent are used."
        "|The level is {v} percent.|We are at {v} percent.|The load stands at {v} percent.",
        "percent|load|level|usage",
        "Is the load above {t} percent?|Is more than {t} percent used?|Is the level over {t}?"
        "|Is it above {t} percent?|Is the level above {t} percent?",
        "Is the load below {t} percent?|Is less than {t} percent used?|Is the level under {t}?"
        "|Is it below {t} percent?|Is the level below {t} percent?",
        "How high is the load?|How much is used?|How high is the level?|What is the level?"
        "|How much is in use?",
        "percent",
    ),
    "pieces": Number(
        99,
        "It is {v} pieces.|We need {v} pieces.|There are {v} pieces.|The number is {v}."
        "|We ordered {v} pieces.|We have {v} pieces.",
        "pieces|quantity|count|stock",
        "Are there more than {t} pieces?|Is the number above {t}?|Is it over {t} pieces?"
        "|Are more than {t} needed?|Is it more than {t} pieces?",
        "Are there fewer than {t} pieces?|Is the number below {t}?|Is it under {t} pieces?"
        "|Are fewer than {t} needed?|Is it fewer than {t} pieces?",
        "How many pieces?|How large is the number?|How many are there?|What is the quantity?"
        "|How many pieces are there?",
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
        "|It is settled.|The bill was paid already.",
        "The bill has not been paid.|We have not paid yet.|No payment was made.|It is still unpaid."
        "|Nothing has been paid.|The bill was not paid yet.",
        "paid|settled|payment_done",
        "Has it been paid?|Is the bill paid?|Was a payment made?|Is it settled?|Was it paid?",
        "Is it still unpaid?|Is payment missing?|Is the bill still open?|Is it unpaid?",
    ),
    "approved": Flag(
        "My manager has approved it.|It was approved.|The boss agrees.|We have the approval."
        "|The boss said yes.|The manager said yes and approved it.",
        "My manager has not approved it.|It was not approved yet.|The boss does not agree."
        "|There is no approval.|The boss said no.|The manager said no and did not approve it.",
        "approved|approval|manager_ok",
        "Has it been approved?|Is there an approval?|Does the manager agree?|Was it approved?"
        "|Did the boss approve it?",
        "Is the approval missing?|Was it refused by the manager?|Is there no approval?"
        "|Is an approval missing?",
    ),
    "attached": Flag(
        "A photo is attached.|I attach a photo.|Please see the picture I added.|Photos are attached."
        "|You find a picture below.|I have attached a picture.",
        "I have no photo.|No photo is attached.|I could not take a picture.|There are no pictures."
        "|I cannot send a photo.|I did not attach a picture.",
        "photo|has_photo|attachment",
        "Is a photo attached?|Are there pictures?|Does the writer send a photo?|Is there a picture?"
        "|Was a picture attached?",
        "Is the photo missing?|Are there no pictures?|Is no photo attached?|Is a picture missing?",
    ),
    "signed": Flag(
        "The contract is signed.|I have signed it.|The signature is there.|Both sides have signed."
        "|It carries a signature.|We have signed the contract.",
        "The contract is not signed.|I have not signed it.|The signature is missing."
        "|Nobody has signed yet.|It carries no signature.|We have not signed the contract.",
        "signed|signature",
        "Is it signed?|Is there a signature?|Has the contract been signed?|Was it signed?"
        "|Did someone sign it?",
        "Is the signature missing?|Is it unsigned?|Is there no signature?|Is it still unsigned?",
    ),
    "insured": Flag(
        "The goods are insured.|We have insurance.|It is insured.|The insurance pays for it."
        "|There is insurance.|We have insurance for it.",
        "The goods are not insured.|We have no insurance.|It is not insured."
        "|The insurance does not pay.|There is no insurance.|We have no insurance for it.",
        "insured|insurance",
        "Is it insured?|Is there an insurance?|Are the goods insured?|Does insurance exist?"
        "|Is there insurance for it?",
        "Is it without insurance?|Is insurance missing?|Is there no insurance?",
    ),
    "answered": Flag(
        "You answered me last week.|I got an answer.|Someone has replied.|I received a reply."
        "|You have called me back.|I have received an answer.",
        "Nobody has answered me.|I got no answer.|No one replied.|I never received a reply."
        "|You have not called me back.|I have received no answer.",
        "answered|replied|reply_sent",
        "Has the person got an answer?|Was there a reply?|Did someone answer?|Was it answered?"
        "|Did the person receive a reply?",
        "Is the person still without an answer?|Is a reply missing?|Did nobody answer?"
        "|Did nobody reply?",
    ),
    "member": Flag(
        "I am a member of your club.|We are members.|I have a member card.|I joined the club."
        "|My membership is active.|I am a member and have a card.",
        "I am not a member.|We are no members.|I have no member card.|I never joined the club."
        "|My membership has ended.|I am not a member and have no card.",
        "member|is_member|club",
        "Is the person a member?|Does the writer have a membership?|Is there a member card?"
        "|Is the writer a member?|Is the person in the club?",
        "Is the person not a member?|Is there no membership?|Is a membership missing?",
    ),
    "hurt": Flag(
        "One person was hurt.|Somebody was injured.|A man was taken to hospital.|I was hurt."
        "|There are injured people.|A woman was injured and taken to hospital.",
        "Nobody was hurt.|No one was injured.|Luckily there are no injured people."
        "|No person was hurt.|We are all unhurt.|Nobody was injured or taken to hospital.",
        "injured|hurt|injury",
        "Was anybody hurt?|Are there injured people?|Was someone injured?|Did anyone get hurt?"
        "|Was a person injured?",
        "Is everybody unhurt?|Was nobody hurt?|Are all people unhurt?|Was nobody injured?",
    ),
    "fragile": Flag(
        "It is fragile.|Handle it with care, it breaks easily.|The goods break easily."
        "|It is made of thin glass.|Fragile goods.|It is fragile and breaks easily.",
        "It is not fragile.|It does not break easily.|The goods are sturdy.|It is made of steel."
        "|Sturdy goods.|It is sturdy and not fragile.",
        "fragile|breakable",
        "Is it fragile?|Does it break easily?|Are the goods fragile?|Is it breakable?"
        "|Can it break easily?",
        "Is it sturdy?|Is it safe from breaking?|Are the goods sturdy?",
    ),
    "confirmed": Flag(
        "The date is confirmed.|They confirmed it.|I have a confirmation.|It was confirmed by mail."
        "|It is confirmed.|We got a confirmation by mail.",
        "The date is not confirmed.|They did not confirm it.|I have no confirmation."
        "|It was never confirmed.|It is not confirmed.|We got no confirmation by mail.",
        "confirmed|confirmation",
        "Is it confirmed?|Was the date confirmed?|Is there a confirmation?|Did they confirm it?"
        "|Was there a confirmation?",
        "Is the confirmation missing?|Is it still unconfirmed?|Is there no confirmation?",
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
                "|It is not urgent.|No need to hurry.|It can wait, there is no hurry at all.",
                "no hurry|can wait|whenever there is time|not urgent|it can wait",
            ),
            (
                "Please do it this week.|I need it within a few days.|This week would be good."
                "|In the next days, please.|It should be done by the end of the week."
                "|Please do it within this week.",
                "this week|within a few days|in the next days|by the end of the week|some time this week",
            ),
            (
                "I need it today.|Please do it by tonight.|It must be done today."
                "|Today is the last day.|Before the end of the day, please.|It must be ready by tonight.",
                "today|by tonight|before the end of the day|on the same day|still today",
            ),
            (
                "It is urgent, act now.|Please help at once.|Do it immediately."
                "|Right now, every minute counts.|This is an emergency.|Come immediately!"
                "|Help us right now, it is an emergency.",
                "at once|immediately|right now|an emergency|now, at once",
            ),
        ),
        "How urgent is it?|How soon must someone act?|How soon is it needed?|When must it be done?"
        "|Rate the urgency.|How soon does it have to be done?",
        "urgency",
    ),
    "mood": Scale(
        (
            (
                "I am furious.|This is a disgrace.|I am very angry.|You should be ashamed."
                "|Never again, I am so angry.|I hate this.|This makes me furious and very angry.",
                "furious|very angry|full of rage|hates it|angry",
            ),
            (
                "I am a bit disappointed.|I am not happy with this.|That is not nice."
                "|I expected more.|It annoys me.|I am disappointed and expected more.",
                "disappointed|not happy|a bit annoyed|unhappy|annoyed",
            ),
            (
                "It is okay.|It is all right.|Nothing special.|It is neither good nor bad."
                "|So-so.|It is okay, nothing special.",
                "neutral|okay|neither good nor bad|so-so|all right",
            ),
            (
                "I am happy with it.|I like it.|It is good.|I am pleased.|That was nice."
                "|I am satisfied.|I like it and am pleased.",
                "happy|pleased|likes it|satisfied|content",
            ),
            (
                "I love it.|It is wonderful.|I am delighted.|The best ever.|Absolutely perfect."
                "|Fantastic, I am so glad.|It is wonderful, I am delighted.",
                "delighted|very happy|loves it|full of joy|full of praise",
            ),
        ),
        "How satisfied is the writer?|How happy is the person?|What is the mood?"
        "|How does the writer feel?|Rate the mood.|How pleased is the person?",
        "mood",
    ),
    "severity": Scale(
        (
            (
                "It is only cosmetic.|Nobody is bothered by it.|It is a tiny flaw."
                "|You hardly notice it.|It is a tiny flaw that nobody notices.",
                "cosmetic|tiny|hardly noticed|trivial|a tiny flaw",
            ),
            (
                "Some people are slowed down.|It is a minor problem.|Work goes on, with small trouble."
                "|It is a small problem.|It is minor, work goes on.",
                "minor|a small problem|some are slowed down|work goes on|small",
            ),
            (
                "Many people cannot work.|It is a major problem.|A big part does not work."
                "|It is serious.|It is a big problem for many people.",
                "major|serious|many cannot work|a big part is out|big",
            ),
            (
                "Everything is down.|Nobody can work.|It is a total outage.|All of it has stopped."
                "|It is critical.|Everything has stopped, nobody can work.",
                "critical|everything is down|total outage|nobody can work|all is down",
            ),
        ),
        "How severe is it?|How serious is the problem?|How bad is it?|What is the impact?"
        "|Rate the severity.|How bad is the problem?",
        "severity",
    ),
    "stars": Scale(
        (
            ("One star.|1 star.|I give one star.|One star from me.", "1 star|one star|one of five"),
            (
                "Two stars.|2 stars.|I give two stars.|Two stars from me.",
                "2 stars|two stars|two of five",
            ),
            (
                "Three stars.|3 stars.|I give three stars.|Three stars from me.",
                "3 stars|three stars|three of five",
            ),
            (
                "Four stars.|4 stars.|I give four stars.|Four stars from me.",
                "4 stars|four stars|four of five",
            ),
            (
                "Five stars.|5 stars.|I give five stars.|Five stars from me.",
                "5 stars|five stars|five of five",
            ),
        ),
        "How many stars are given?|What is the rating?|How many stars?|Which rating is given?"
        "|How many stars does it get?",
        "rating",
    ),
    "priority": Scale(
        (
            (
                "The priority is low.|Low priority.|It has low priority.|Priority: low",
                "low|low priority",
            ),
            (
                "The priority is medium.|Medium priority.|It has medium priority.|Priority: medium",
                "medium|medium priority",
            ),
            (
                "The priority is high.|High priority.|It has high priority.|Priority: high",
                "high|high priority",
            ),
        ),
        "What is the priority?|Which priority does it have?|How important is it?|Rate the priority."
        "|What priority has it?",
        "priority",
    ),
}
