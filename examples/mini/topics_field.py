"""What messages are about, second half: incidents, deliveries, reviews, buildings, banks, hotels.

The same layout as ``topics_office``.
"""

INCIDENT = {
    "disk": (
        "disk|storage|disk space|no space",
        "The disk of the server is full.|There is no space left for new files.|The storage has run out.|The backup failed because the disk is full.|Only one percent of the space is free.|Logs have filled the disk.|New files cannot be saved, no space is left.|The storage is full and no file can be saved.",
        "a full disk|no space left|storage that ran out|files that cannot be saved|a disk without space",
    ),
    "network": (
        "network|connection|internet|link down",
        "The network is down in the office.|Nobody can reach the internet.|The connection drops every few minutes.|The router does not answer.|The wifi is gone.|A cable to the building was cut.|Packets get lost on the way.|The connection is gone, the router is dead.",
        "the network or internet|a lost connection|a router or cable|wifi that fails|a connection that drops",
    ),
    "database": (
        "database|data store|query|db",
        "The database does not answer.|Queries take minutes.|The table of customers is locked.|The database server has stopped.|Records are missing from the table.|Writing to the database fails.|The query on the orders table hangs.|The database is locked and queries hang.",
        "a database|slow queries|tables and records|a data store that stopped|a table that is locked",
    ),
    "certificate": (
        "certificate|tls|expired cert|https",
        "The certificate has expired.|Browsers say the site is not secure.|The TLS certificate ran out last night.|The shop shows a security warning since the certificate ended.|We forgot to renew the certificate.|The HTTPS certificate is not valid.|The certificate of the site is too old.|The site is not secure, its certificate ran out.",
        "an expired certificate|a site that is not secure|TLS or HTTPS|a certificate to renew|a certificate that ran out",
    ),
    "power": (
        "power|electricity|power cut|energy",
        "The power is out in the data centre.|There was a power cut.|The servers have no electricity.|The generator did not start.|A fuse has blown and the rack is dark.|The battery of the rack is empty.|Electricity failed for ten minutes.|The rack is dark, the electricity failed.",
        "a power cut|missing electricity|a fuse or generator|power that is out|no electricity in the rack",
    ),
    "attack": (
        "attack|security|intrusion|hacker",
        "Someone tries to break into our systems.|A hacker has stolen passwords.|We see many login attempts from abroad.|A virus was found on a laptop.|The firewall blocked an attack.|Unknown people read our mail.|Malware was found on the server.|A hacker broke into the server.",
        "an attack or virus|a hacker|someone who breaks in|stolen passwords|a matter of security",
    ),
    "slow": (
        "slow|performance|latency|speed",
        "The site is very slow today.|Pages take a long time to load.|Everything takes much longer than usual.|Answers come only after many seconds.|The system is slow in the morning.|The search needs a minute.|Loading takes for ever.|Pages load slowly and need many seconds.",
        "slow pages|a system that is slow|long loading times|answers that take too long|poor speed",
    ),
    "deploy": (
        "deploy|release|bad release|rollout",
        "The new release broke the shop.|Since the last deploy the page is empty.|We have to roll back the new version.|The update of yesterday went wrong.|The new version does not start.|The rollout failed halfway.|After the release nothing works.|The new version broke the page, roll it back.",
        "a bad release|an update that went wrong|a new version|a deploy to roll back|trouble since the new version",
    ),
}

DELIVERY = {
    "late": (
        "late|delay|delayed parcel|behind schedule",
        "The parcel is late.|My order should have come on Monday.|I am still waiting for the parcel.|The delivery is delayed again.|The shipment has not arrived in time.|It was promised for last week and is not here.|The parcel takes too long.|The order is late, I still wait for it.",
        "a late parcel|a delay|a delivery that takes too long|an order that is not here in time|a parcel still on its way",
    ),
    "damaged": (
        "damaged|broken goods|breakage|broken on arrival",
        "The goods arrived broken.|The box was crushed and wet.|The glass is in pieces.|The item has a crack.|It came with a big scratch.|The parcel was damaged on the way.|The screen was broken when it came.|The box was wet and the glass is broken.",
        "broken goods|something damaged on the way|an item in pieces|a crack or scratch|goods that came broken",
    ),
    "wrong_item": (
        "wrong item|mix up|not ordered|other product",
        "You sent me the wrong item.|I ordered a blue one and got a red one.|This is not what I ordered.|The parcel has something else in it.|I got the order of another person.|The size is not the one I ordered.|A different product was in the box.|I got a different item, not what I ordered.",
        "a wrong item|something that was not ordered|another product than ordered|a mix up|a different item in the box",
    ),
    "missing": (
        "missing|incomplete|parts missing|not in box",
        "Two parts are missing from the box.|The parcel was empty.|One item was not in the box.|The cable is missing.|The order is not complete.|I only got half of the order.|The screws were not included.|The box is not complete, parts are missing.",
        "missing parts|an order that is not complete|something not in the box|an empty parcel|items that are missing",
    ),
    "return": (
        "return|send back|goods return|return label",
        "I want to send the goods back.|How can I return the item?|Please send me a return label.|The shoes do not fit, I send them back.|I changed my mind and want to return it.|Where do I bring the parcel to return it?|I need a label to send it back.|The item does not fit, how do I send it back?",
        "sending goods back|a return|a return label|an item that goes back|a wish to return goods",
    ),
    "neighbour": (
        "neighbour|left next door|handed over|third party",
        "The parcel was left with a neighbour.|The people next door took it.|The neighbour has signed for it.|It was handed to the woman on the first floor.|It lies with the family next door.|The driver gave it to a neighbour.|Next door they have your parcel.|The family next door signed for the parcel.",
        "a parcel with a neighbour|people next door|someone else who took the parcel|handing it to a neighbour|a neighbour who signed",
    ),
    "depot": (
        "depot|pick up|collect|post office",
        "The parcel is at the depot.|You can collect it at the post office.|It went back to the depot.|Please pick it up at the shop.|It lies in the parcel locker.|Bring your card to collect the parcel.|The driver took it back to the depot.|It is back at the post office, please collect it.",
        "a parcel to collect|the depot or post office|picking it up|a parcel locker|a parcel brought back to the depot",
    ),
}

REVIEW = {
    "battery": (
        "battery|runtime|charge|battery life",
        "The battery is empty after an hour.|It must be charged too often.|The battery does not last a day.|Charging takes all night.|The battery died after a month.|It runs out of charge quickly.|I have to charge it twice a day.|The battery is soon empty and charging takes long.",
        "the battery|how long it runs|charging|battery life|a charge that does not last",
    ),
    "noise": (
        "noise|loud|sound level|too loud",
        "It is far too loud.|The noise wakes the whole house.|It hums all the time.|My neighbours hear it through the wall.|It makes a terrible noise.|The fan is very loud.|It is as loud as a train.|It hums and the noise is terrible.",
        "noise|how loud it is|a loud sound|humming|something that is too loud",
    ),
    "price": (
        "price|cost|expensive|value",
        "It is too expensive.|The price is too high for what you get.|It costs twice as much as others.|I paid far too much.|It is not worth the money.|Others sell it cheaper.|Such a high price is a joke.|It costs too much, others are cheaper.",
        "the price|what it costs|something too expensive|value for money|a price that is too high",
    ),
    "size": (
        "size|fit|dimensions|too small",
        "It is too small for me.|The shoes are too tight.|It does not fit on my desk.|It is much bigger than in the picture.|The jacket is one size too large.|It is too big for the kitchen.|The shirt is too short.|It does not fit, it is much too tight.",
        "the size|how it fits|something too big or small|a tight fit|a thing that does not fit",
    ),
    "quality": (
        "quality|durability|material|workmanship",
        "It broke after a week.|The plastic feels cheap.|The handle fell off.|The seams came apart.|It is badly made.|The colour came off in the wash.|It did not even last a month.|The cheap handle fell off after a week.",
        "poor quality|how well it is made|cheap material|something that broke soon|a badly made thing",
    ),
    "taste": (
        "taste|flavour|food quality|eating",
        "The soup tasted of nothing.|The bread was dry and old.|The coffee is bitter.|It tastes awful.|The meal was cold and without flavour.|The fruit was sour.|The cake was too sweet.|The bread tasted old and the soup was bitter.",
        "the taste|food and flavour|a meal that tastes bad|how it tastes|bitter, sour or sweet",
    ),
    "staff": (
        "staff|service|waiter|friendliness",
        "The staff were rude.|Nobody in the shop helped me.|The waiter was unfriendly.|I was treated badly by the seller.|The man at the desk shouted at us.|The service was slow and rude.|They ignored me for an hour.|The waiter ignored us and was rude.",
        "the staff|how people were treated|a rude waiter or seller|unfriendly service|people who do not help",
    ),
}

BUILDING = {
    "heating": (
        "heating|boiler|heater|warmth",
        "The heating does not work.|The room is ice cold.|The boiler makes no hot water.|The heater stays cold.|It is freezing in the office.|The radiator is cold since Sunday.|There is no warm water.|The radiator is cold and we are freezing.",
        "the heating or boiler|a cold room|no hot water|heaters|a radiator that stays cold",
    ),
    "water": (
        "plumber|water|pipes|leak",
        "Water drips from the ceiling.|The pipe in the kitchen leaks.|The sink is blocked.|The toilet does not stop running.|There is a puddle under the sink.|The tap drips day and night.|The drain is blocked and water comes up.|A pipe leaks and water is on the floor.",
        "water and pipes|a leak|a blocked sink or drain|a tap that drips|water where it should not be",
    ),
    "electric": (
        "electrician|lights|wiring|sockets",
        "The light in the hall does not turn on.|The socket gives sparks.|The lamp flickers.|There is no light on the stairs.|A wire hangs out of the wall.|The switch of the lamp is broken.|All lights in the corridor are out.|The socket is dead and the light flickers.",
        "lights and sockets|a wire or switch|a lamp that flickers|electric trouble in a room|light that does not turn on",
    ),
    "lock": (
        "locksmith|keys|door|lock",
        "I have lost my key.|The door cannot be locked.|The lock is stuck.|I am locked out of my flat.|The key broke in the door.|The front door does not close.|I left the key inside.|The key is stuck and the door does not open.",
        "doors and keys|a lock that is stuck|a lost key|being locked out of a flat|a door that does not close",
    ),
    "lift": (
        "lift|elevator|stuck lift|lift service",
        "The lift is stuck between two floors.|The elevator does not move.|The lift makes strange noises and stops.|The doors of the lift do not open.|Nobody can use the elevator.|The lift stops on the wrong floor.|Someone is stuck in the lift.|The elevator stopped between the floors.",
        "the lift|an elevator that is stuck|someone in the lift|a lift that does not move|the doors of the elevator",
    ),
    "cleaning": (
        "cleaning|cleaners|dirt|rubbish",
        "The stairs are dirty.|Nobody has emptied the bins.|The kitchen floor is sticky.|There is rubbish in the yard.|The windows have not been cleaned for months.|The toilets are dirty.|The bins are full and smell.|The floor is dirty and the rubbish smells.",
        "dirt and rubbish|cleaning|bins that are full|dirty floors|rooms that need to be cleaned",
    ),
    "garden": (
        "garden|gardener|trees|lawn",
        "The grass is too high.|A tree has fallen over.|The hedge must be cut.|Leaves cover the path.|The flowers need water.|The lawn has not been cut.|A branch hangs over the road.|The tree and the hedge must be cut.",
        "trees and lawns|the garden|a hedge to be cut|grass and leaves|plants outside",
    ),
}

BANK = {
    "lost_card": (
        "lost card|block card|card stolen|card block",
        "I have lost my bank card.|My card was stolen, please block it.|I cannot find my card any more.|Please block my card at once.|My wallet with the card is gone.|Someone stole my card on the train.|The card has disappeared.|My card is gone, please block it.",
        "a lost or stolen card|blocking a card|a card that is gone|a card to be blocked|a stolen wallet",
    ),
    "pin": (
        "pin|forgotten pin|pin code|secret number",
        "I forgot my PIN.|I need a new PIN for my card.|I typed the wrong PIN three times.|Please send me a new secret code.|The PIN letter has not come.|How can I change my PIN?|The machine says my PIN is wrong.|I need a new PIN, the old one is wrong.",
        "a forgotten PIN|a new PIN|the secret code|a wrong PIN|the code of a card",
    ),
    "loan": (
        "loan|credit|mortgage|borrow",
        "I would like to borrow money for a car.|We want to buy a house and need a loan.|What are the rates for a credit?|Can I get a loan?|We need a mortgage.|I want to pay off my loan earlier.|How much money could I borrow?|We want to borrow money to buy a house.",
        "a loan or credit|borrowing money|a mortgage|money for a house or car|a wish to borrow",
    ),
    "transfer": (
        "transfer|send money|wire|wrong transfer",
        "My transfer has not arrived.|I sent money to the wrong person.|The transfer to my landlord failed.|How do I send money abroad?|Please stop the transfer of today.|The money I sent is not there yet.|I typed a wrong account number in the transfer.|I sent a transfer and the money has not arrived.",
        "a transfer|sending money|money sent to someone|a wrong account number|money that did not arrive",
    ),
    "limit": (
        "limit|card limit|raise limit|spending limit",
        "Please raise the limit of my card.|I need a higher limit for my trip.|My limit is too low.|The card was refused because of the limit.|Can I spend more per day?|Please lower my daily limit.|Set a new limit for my card.|My daily limit is too low, please raise it.",
        "the limit of a card|spending more per day|a higher limit|a daily limit|a limit to be changed",
    ),
    "fraud": (
        "fraud|unknown charge|suspicious|misuse",
        "There is a payment I did not make.|Someone used my card in another country.|I do not know this charge.|A stranger took money from my account.|I got a call from a false bank clerk.|This payment is not mine.|My account was misused.|A stranger used my card, the payment is not mine.",
        "a payment by a stranger|fraud|an unknown charge|misuse of an account|someone else who used the card",
    ),
}

# Kept out of training as a whole.
HOTEL = {
    "booking": (
        "booking|reservation|new stay",
        "I would like to book a double room.|Is there a free room in June?|Please reserve a room for two nights.|Do you have a room with a view of the sea?",
        "a wish to book a room|a reservation|a free room",
    ),
    "cancellation": (
        "cancellation|called off|no stay",
        "We cannot come and have to cancel our room.|Please cancel our stay.|Our trip is off, we do not need the room.|I want to cancel the reservation.",
        "a stay that is cancelled|guests who cannot come|cancelling a room",
    ),
    "lost_item": (
        "lost item|left behind|lost and found",
        "I left my glasses in the room.|My watch is still on the table of my room.|Have you found a blue bag?|I forgot my coat at the hotel.",
        "something left in the room|a thing the guest forgot|a lost thing",
    ),
    "dirty_room": (
        "dirty room|room cleaning|unclean",
        "Our room was dirty.|The bed was not made and the floor was dirty.|There was hair in the shower.|The room was not cleaned.",
        "a dirty room|a room that was not cleaned|dirt in the room",
    ),
    "breakfast": (
        "breakfast|meals|kitchen",
        "The breakfast was cold.|There was no bread left in the morning.|Is breakfast part of the price?|The coffee at breakfast was bitter.",
        "the breakfast|food in the morning|the meals",
    ),
    "noise": (
        "noise|quiet|loud night",
        "We could not sleep because of the noise.|The street is loud at night.|The people in the next room were loud.|The music in the bar was too loud.",
        "noise at night|loud people or music|a room that is too loud",
    ),
    "parking": (
        "parking|garage|car",
        "Where can I park my car?|The garage was full.|What does parking cost?|There is no free place for our car.",
        "a place for the car|parking|the garage",
    ),
}
