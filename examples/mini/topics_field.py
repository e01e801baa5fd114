"""What messages are about, second half: incidents, deliveries, reviews, buildings, banks, hotels.

The same layout as ``topics_office``.
"""

INCIDENT = {
    "disk": (
        "disk|storage|full disk|space|drive|out of space|storage full|disk space|no space",
        "The disk of the server is full.|There is no space left for new files."
        "|The storage has run out.|The backup failed because the disk is full."
        "|Only one percent of the space is free.|Logs have filled the disk."
        "|The hard drive is full.|The server has run out of disk space."
        "|There is not enough storage.|The volume is full and writes fail."
        "|Files cannot be written, the disk is at its limit."
        "|Please free some space on the server.|The log files take all the space."
        "|Storage is almost used up.|The partition is 100 percent full."
        "|We cannot store any more data.|The drive has no room left."
        "|The backup does not fit on the disk.|We are out of storage."
        "|The disk filled up over night.|New files cannot be saved, no space is left."
        "|The storage is full and no file can be saved.",
        "a full disk|no space left|storage that ran out|storage space|running out of space"
        "|a drive that is full|not enough storage|disk space|no room for files"
        "|a disk that is full|no free space|storage without space|a full storage"
        "|not enough space for files|space that has run out|a server with a full disk"
        "|files that cannot be saved|a disk without space",
    ),
    "network": (
        "network|connection|offline|wifi|no internet|router|lan|internet|link down",
        "The network is down in the office.|Nobody can reach the internet."
        "|The connection drops every few minutes.|The router does not answer.|The wifi is gone."
        "|A cable to the building was cut.|The internet does not work.|We are offline."
        "|Our office has no connection.|The wifi keeps dropping."
        "|The switch is broken and nobody is online.|There is no network in the building."
        "|The line is dead.|We lost the connection to the internet.|The LAN is down."
        "|The router has failed.|No computer can get online."
        "|The link between the offices is cut.|The network is unstable."
        "|The wireless connection is gone.|Packets get lost on the way."
        "|The connection is gone, the router is dead.",
        "the network or internet|a lost connection|a router or cable|no internet|being offline"
        "|network trouble|the wifi|a router that failed|a broken connection"
        "|the connection to the internet|a network that is down|a dead router|no connection"
        "|the office network|an internet connection that fails|a connection that was cut"
        "|wifi that fails|a connection that drops",
    ),
    "database": (
        "database|data store|sql|tables|records|data base|queries|query|db",
        "The database does not answer.|Queries take minutes.|The table of customers is locked."
        "|The database server has stopped.|Records are missing from the table."
        "|Writing to the database fails.|The database is down.|Our database crashed."
        "|SQL queries are very slow.|Some records have disappeared."
        "|The database refuses connections.|A table is corrupt.|The db does not respond."
        "|Queries run into a timeout.|Data cannot be written to the table."
        "|The index of the database is broken.|We lost rows in the customers table."
        "|The replication of the database has stopped.|The data store is not reachable."
        "|A query blocks the whole database.|The query on the orders table hangs."
        "|The database is locked and queries hang.",
        "a database|slow queries|tables and records|the database server|a query that hangs"
        "|database trouble|missing records|SQL and tables|a corrupt table"
        "|a database that does not answer|a locked table|queries that take long"
        "|records that are missing|a database that stopped|a slow query on a table"
        "|data in tables|a data store that stopped|a table that is locked",
    ),
    "certificate": (
        "certificate|tls|ssl|cert|expired|https error|secure site|expired cert|https",
        "The certificate has expired.|Browsers say the site is not secure."
        "|The TLS certificate ran out last night."
        "|The shop shows a security warning since the certificate ended."
        "|We forgot to renew the certificate.|The HTTPS certificate is not valid."
        "|The SSL certificate is out of date.|Our certificate expired yesterday."
        "|The browser warns that the page is unsafe.|HTTPS does not work any more."
        "|Visitors see a warning about security.|The certificate must be renewed."
        "|The cert of the shop is no longer valid.|The padlock in the browser is red."
        "|The site's certificate ended at midnight.|TLS fails because of an old certificate."
        "|The certificate was not renewed in time.|Customers get a certificate error."
        "|The secure connection fails, the cert has expired."
        "|The browser does not trust our certificate.|The certificate of the site is too old."
        "|The site is not secure, its certificate ran out.",
        "an expired certificate|a site that is not secure|TLS or HTTPS|an SSL certificate"
        "|a certificate that is no longer valid|a browser warning|renewing a certificate"
        "|a certificate error|secure connections|a certificate that expired"
        "|the certificate of a site|a security warning of the browser"
        "|a site whose certificate ended|TLS|an old certificate|a certificate that is not valid"
        "|a certificate to renew|a certificate that ran out",
    ),
    "power": (
        "power|electricity|no power|blackout|outage of power|current|fuse|power cut|energy",
        "The power is out in the data centre.|There was a power cut."
        "|The servers have no electricity.|The generator did not start."
        "|A fuse has blown and the rack is dark.|The battery of the rack is empty."
        "|We have no power.|The electricity is gone."
        "|All servers went off because of a power failure.|The power supply failed."
        "|A blackout hit the data centre.|The fuse is blown."
        "|There is no current in the server room.|The emergency generator does not run."
        "|The lights and machines went out.|The power went off in the whole street."
        "|The rack lost power.|We are without electricity since noon."
        "|The battery backup is empty.|A power failure stopped everything."
        "|Electricity failed for ten minutes.|The rack is dark, the electricity failed.",
        "a power cut|missing electricity|a fuse or generator|a power failure|a blackout"
        "|no electricity|the power supply|a blown fuse|servers without power|power that failed"
        "|electricity that is out|a rack without electricity|a failure of the power"
        "|a fuse that has blown|servers without electricity|the power in the data centre"
        "|power that is out|no electricity in the rack",
    ),
    "attack": (
        "attack|security|hack|virus|malware|break in|hacked|intrusion|hacker",
        "Someone tries to break into our systems.|A hacker has stolen passwords."
        "|We see many login attempts from abroad.|A virus was found on a laptop."
        "|The firewall blocked an attack.|Unknown people read our mail.|We were hacked."
        "|Somebody broke into our network.|There is malware on our computers."
        "|Passwords were stolen.|We are under attack.|A phishing mail tricked a colleague."
        "|Unknown persons logged in to our server.|Our data has been encrypted by criminals."
        "|We found a trojan.|A hacker is in the system."
        "|Strange logins come from another country.|The antivirus reports an infection."
        "|Intruders copied customer data.|Our website was attacked last night."
        "|Malware was found on the server.|A hacker broke into the server.",
        "an attack or virus|a hacker|someone who breaks in|hackers|malware|a break in"
        "|a security incident|stolen data|an infection with a virus|a virus"
        "|passwords that were stolen|someone who broke in|an attack on the systems"
        "|a hacker in the server|malware on a server|security and hackers|stolen passwords"
        "|a matter of security",
    ),
    "slow": (
        "slow|performance|too slow|loading time|slowness|delay of pages|response time|latency"
        "|speed",
        "The site is very slow today.|Pages take a long time to load."
        "|Everything takes much longer than usual.|Answers come only after many seconds."
        "|The system is slow in the morning.|The search needs a minute."
        "|The website takes ages to load.|Everything is slow."
        "|The system reacts with long delays.|Our page is slower than last week."
        "|Users complain about poor speed.|It takes a minute to open a page."
        "|The response time is very high.|The search is slow.|The server answers very slowly."
        "|The performance is bad.|Loading the list takes too long."
        "|You wait for ever until a page opens.|The application is sluggish."
        "|We see high latency.|Loading takes for ever.|Pages load slowly and need many seconds.",
        "slow pages|a system that is slow|long loading times|poor performance"
        "|long response times|a sluggish system|slow loading|delays when loading|high latency"
        "|pages that load slowly|a slow system|pages that take long|loading that takes too long"
        "|waiting for pages|answers that come late|a site that is slow"
        "|answers that take too long|poor speed",
    ),
    "deploy": (
        "deploy|release|new version|update|roll back|failed release|new release|bad release"
        "|rollout",
        "The new release broke the shop.|Since the last deploy the page is empty."
        "|We have to roll back the new version.|The update of yesterday went wrong."
        "|The new version does not start.|The rollout failed halfway."
        "|The latest version has a fault, we must roll back."
        "|After the update the site is broken.|The deployment failed."
        "|Please undo the last release.|The new version causes errors."
        "|Yesterday's rollout broke the login page.|We released a faulty version."
        "|Since the new release customers see errors.|The deploy stopped in the middle."
        "|Please go back to the old version.|The update has to be undone."
        "|Version two does not work.|The release of today has broken the search."
        "|We need to revert the last change.|After the release nothing works."
        "|The new version broke the page, roll it back.",
        "a bad release|an update that went wrong|a new version|a faulty release|a failed rollout"
        "|undoing an update|a deployment|going back to the old version|errors after an update"
        "|a release that broke something|a new version that does not work"
        "|an update that broke the site|rolling back a version|a version to be rolled back"
        "|a rollout that failed|a release gone wrong|a deploy to roll back"
        "|trouble since the new version",
    ),
}

DELIVERY = {
    "late": (
        "late|delay|not arrived|waiting|late parcel|overdue parcel|slow delivery|delayed parcel"
        "|behind schedule",
        "The parcel is late.|My order should have come on Monday."
        "|I am still waiting for the parcel.|The delivery is delayed again."
        "|The shipment has not arrived in time.|It was promised for last week and is not here."
        "|Where is my parcel?|My package has not come yet.|The delivery is overdue."
        "|I have been waiting for two weeks for my order.|It should have arrived yesterday."
        "|The shipment is delayed.|My order still is not here."
        "|The parcel was to come on Friday, but nothing came."
        "|You promised delivery in two days, it has been ten.|The courier did not come on time."
        "|When will my package arrive?|The goods are still on the way."
        "|My delivery is running late.|I expected the package last week."
        "|The parcel takes too long.|The order is late, I still wait for it.",
        "a late parcel|a delay|a delivery that takes too long|an overdue delivery"
        "|waiting for a parcel|a package that has not arrived|a delayed shipment"
        "|an order that comes too late|where the parcel is|a parcel that is late"
        "|an order that has not arrived|a delivery that is delayed|a parcel that takes too long"
        "|a late order|still waiting for an order|a shipment behind schedule"
        "|an order that is not here in time|a parcel still on its way",
    ),
    "damaged": (
        "damaged|broken goods|broken|defective|smashed|cracked|damage|breakage|broken on arrival",
        "The goods arrived broken.|The box was crushed and wet.|The glass is in pieces."
        "|The item has a crack.|It came with a big scratch.|The parcel was damaged on the way."
        "|The package was torn open and the item broken.|The vase has cracks."
        "|It was broken when I opened the box.|The product arrived damaged."
        "|The plates are smashed.|The mirror came shattered."
        "|The parcel got wet and everything is ruined.|The corner is dented."
        "|The lid was broken in transport.|The device has scratches."
        "|The bottle leaked in the package.|The glass was cracked."
        "|Everything in the box is in bits.|The table came with a broken leg."
        "|The screen was broken when it came.|The box was wet and the glass is broken.",
        "broken goods|something damaged on the way|an item in pieces|damage in transport"
        "|goods that are broken|a damaged item|a smashed or cracked thing|a dented box"
        "|something broken on arrival|damaged goods|goods broken on the way"
        "|an item that is broken|something that arrived broken|a broken item in the box"
        "|a box that was crushed|damage on the way|a crack or scratch|goods that came broken",
    ),
    "wrong_item": (
        "wrong item|mix up|wrong product|other item|mixed up|wrong article|false item"
        "|not ordered|other product",
        "You sent me the wrong item.|I ordered a blue one and got a red one."
        "|This is not what I ordered.|The parcel has something else in it."
        "|I got the order of another person.|The size is not the one I ordered."
        "|I received the wrong product.|You delivered a lamp but I ordered a chair."
        "|It is not the article I ordered.|You mixed up my order.|I got something different."
        "|The parcel held a different thing.|I ordered shoes and got a hat."
        "|The colour is not what I ordered.|Someone else's goods were in my box."
        "|You shipped the wrong model.|This is the wrong colour and model."
        "|You have confused two orders.|The delivered article is another one."
        "|My box had a false product in it.|A different product was in the box."
        "|I got a different item, not what I ordered.",
        "a wrong item|something that was not ordered|another product than ordered"
        "|the wrong product|a different article than ordered|a mixed up order"
        "|goods that were confused|another model or colour|the wrong thing delivered"
        "|an item that was not ordered|a product nobody ordered|getting a different product"
        "|the wrong item in the parcel|something else than ordered|an order that was mixed up"
        "|a wrong product|a mix up|a different item in the box",
    ),
    "missing": (
        "missing|incomplete|lacks parts|not complete|part missing|empty box|missing item"
        "|parts missing|not in box",
        "Two parts are missing from the box.|The parcel was empty.|One item was not in the box."
        "|The cable is missing.|The order is not complete.|I only got half of the order."
        "|Something is missing from my parcel.|The power cord was not included."
        "|I received only one of the two items.|The box was empty."
        "|There are no screws in the package.|Part of my order did not come."
        "|Three of five books were in the box.|The instructions and the cable were not there."
        "|The delivery is incomplete.|The accessories are missing.|One piece is lacking."
        "|Not everything I ordered was in the parcel.|The charger was left out."
        "|We lack two parts.|The screws were not included."
        "|The box is not complete, parts are missing.",
        "missing parts|an order that is not complete|something not in the box"
        "|an incomplete delivery|part of the order is not there|something left out of the box"
        "|a lacking piece|missing accessories|only half of the order|parts that are missing"
        "|a box that is not complete|something that was not in the box|an item that is missing"
        "|an order without all its parts|missing items|half of an order|an empty parcel"
        "|items that are missing",
    ),
    "return": (
        "return|send back|returns|give back|send it back|returning|back to shop|goods return"
        "|return label",
        "I want to send the goods back.|How can I return the item?"
        "|Please send me a return label.|The shoes do not fit, I send them back."
        "|I changed my mind and want to return it.|Where do I bring the parcel to return it?"
        "|I would like to return my order.|It does not suit me, I send it back."
        "|How does a return work?|Please collect the item, I do not want it."
        "|I want to give the product back.|I need the address for returns."
        "|The dress is too big, I want to return it.|Can I bring the goods back to the shop?"
        "|I do not like it and will send it back.|Please tell me how to send back the parcel."
        "|Where is the return slip?|I wish to return two of the three items."
        "|I will return the kettle tomorrow.|Please send a label so that I can return it."
        "|I need a label to send it back.|The item does not fit, how do I send it back?",
        "sending goods back|a return|a return label|giving goods back|returning an order"
        "|sending back a product|a return slip|a customer who sends something back"
        "|how to return things|returning an item|goods to be sent back"
        "|a wish to send something back|sending the item back|a label for the return"
        "|an order that goes back|an item that is sent back|an item that goes back"
        "|a wish to return goods",
    ),
    "neighbour": (
        "neighbour|left next door|neighbours|next door|given to others|someone else"
        "|left with neighbour|handed over|third party",
        "The parcel was left with a neighbour.|The people next door took it."
        "|The neighbour has signed for it.|It was handed to the woman on the first floor."
        "|It lies with the family next door.|The driver gave it to a neighbour."
        "|My neighbour has the parcel.|The courier left it next door."
        "|You gave my package to somebody else in the house."
        "|The package was accepted by a neighbour.|It was delivered to the flat below."
        "|The old man across the street has it.|The note says it is with the neighbours."
        "|The lady upstairs took my parcel.|Somebody in our house signed for it."
        "|The driver handed it to the people opposite."
        "|Please do not give my parcels to the neighbour.|A neighbour accepted the delivery."
        "|It is at number 12, with the neighbours.|The boy from next door has my package."
        "|Next door they have your parcel.|The family next door signed for the parcel.",
        "a parcel with a neighbour|people next door|someone else who took the parcel"
        "|the neighbours|a parcel left next door|someone in the house who took it"
        "|a delivery accepted by others|the people opposite|given to somebody else"
        "|a parcel that a neighbour took|the neighbour|a neighbour who has the parcel"
        "|the family next door|a parcel handed to other people|someone next door who signed"
        "|a parcel left with other people|handing it to a neighbour|a neighbour who signed",
    ),
    "depot": (
        "depot|pick up|pickup|fetch parcel|parcel shop|locker|collect parcel|collect|post office",
        "The parcel is at the depot.|You can collect it at the post office."
        "|It went back to the depot.|Please pick it up at the shop."
        "|It lies in the parcel locker.|Bring your card to collect the parcel."
        "|I have to fetch the parcel at the depot.|My package waits at the post office."
        "|It can be picked up at the station.|The parcel was taken to the pickup point."
        "|It is stored in the warehouse of the courier.|I want to collect it myself."
        "|It was put in a locker.|Please keep it at the branch, I will come."
        "|The shipment is ready for pickup.|The card says I should fetch it at the post."
        "|It is waiting in the parcel shop.|Where can I pick up my parcel?"
        "|You can get it at the counter with your ID.|It was brought to the parcel centre."
        "|The driver took it back to the depot."
        "|It is back at the post office, please collect it.",
        "a parcel to collect|the depot or post office|picking it up|pickup of a parcel"
        "|a parcel shop|fetching a parcel|a pickup point|a package at the post office"
        "|collecting it yourself|a parcel at the depot|collecting a parcel"
        "|a parcel to be picked up|the post office|a parcel that waits at the post office"
        "|picking a parcel up|a parcel in a locker|a parcel locker"
        "|a parcel brought back to the depot",
    ),
}

REVIEW = {
    "battery": (
        "battery|runtime|charging|empty battery|short runtime|recharge|power cell|charge"
        "|battery life",
        "The battery is empty after an hour.|It must be charged too often."
        "|The battery does not last a day.|Charging takes all night."
        "|The battery died after a month.|It runs out of charge quickly."
        "|The battery drains fast.|The battery lasts only two hours."
        "|It does not hold its charge.|You have to plug it in all the time."
        "|Battery life is poor.|It needs five hours to charge.|After lunch the battery is flat."
        "|The accumulator is weak.|It switches off because the battery is low."
        "|Even in standby the battery goes empty.|It does not charge any more."
        "|The charge is gone within an hour.|The runtime is much too short."
        "|The battery is dead again.|I have to charge it twice a day."
        "|The battery is soon empty and charging takes long.",
        "the battery|how long it runs|charging|a weak battery|short battery life|recharging"
        "|a battery that drains|the runtime|a flat battery|a battery that does not last"
        "|how long the battery lasts|charging it|an empty battery|a battery that is soon empty"
        "|the time of charging|battery and charge|battery life|a charge that does not last",
    ),
    "noise": (
        "noise|loud|noisy|volume|sound|hum|racket|sound level|too loud",
        "It is far too loud.|The noise wakes the whole house.|It hums all the time."
        "|My neighbours hear it through the wall.|It makes a terrible noise."
        "|The fan is very loud.|It is very noisy.|The motor roars."
        "|I cannot sleep because it is so loud.|The machine buzzes loudly."
        "|It rattles and squeaks.|The sound is unbearable.|It is louder than my old one."
        "|You can hear it in every room.|The beeping drives me mad.|It makes an awful racket."
        "|The engine is too noisy.|It whistles all day.|A loud buzz comes out of it."
        "|The pump is so noisy that we turn it off.|It is as loud as a train."
        "|It hums and the noise is terrible.",
        "noise|how loud it is|a loud sound|a noisy machine|too much noise|rattling or buzzing"
        "|an unbearable sound|the volume of the sound|a thing that is too noisy|a terrible noise"
        "|a thing that is loud|how noisy it is|noise that is too loud|something that hums"
        "|loud noise|the loudness|humming|something that is too loud",
    ),
    "price": (
        "price|cost|too expensive|costly|overpriced|high cost|money|expensive|value",
        "It is too expensive.|The price is too high for what you get."
        "|It costs twice as much as others.|I paid far too much.|It is not worth the money."
        "|Others sell it cheaper.|Far too expensive.|I find the price too high."
        "|You can get it for half elsewhere.|It is overpriced.|It is not worth what I paid."
        "|So much money for so little.|The price is a rip off.|Other shops ask much less."
        "|It cost me a fortune.|I would not pay that much again.|It should be cheaper."
        "|The cost is out of proportion.|Way too dear for this.|For this price I expected more."
        "|Such a high price is a joke.|It costs too much, others are cheaper.",
        "the price|what it costs|something too expensive|being too expensive|an overpriced thing"
        "|the cost|a high price|how much it costs|not worth the money"
        "|something that costs too much|how expensive it is|a price not worth it"
        "|the cost of a thing|too much money for it|a thing that is too expensive"
        "|value for money|a price that is too high",
    ),
    "size": (
        "size|fit|wrong size|too big|does not fit|too large|measures|dimensions|too small",
        "It is too small for me.|The shoes are too tight.|It does not fit on my desk."
        "|It is much bigger than in the picture.|The jacket is one size too large."
        "|It is too big for the kitchen.|It is too big.|The trousers are too long."
        "|The size is wrong.|It is smaller than I thought.|The coat is too wide."
        "|It does not fit me.|The table is too large for the room.|The sleeves are too short."
        "|The ring is too tight.|It is far bigger than expected.|The hat does not fit my head."
        "|The bed is too short for me.|I need a larger size.|One size smaller would be right."
        "|The shirt is too short.|It does not fit, it is much too tight.",
        "the size|how it fits|something too big or small|the fit|a wrong size"
        "|something too small or large|clothes that do not fit|too long, too wide or too tight"
        "|how big it is|a wrong fit|something that does not fit|the wrong size"
        "|too small or too big|how big or small it is|a thing that is too tight"
        "|a size that does not fit|a tight fit|a thing that does not fit",
    ),
    "quality": (
        "quality|durability|bad quality|badly made|falls apart|broke soon|cheap material"
        "|material|workmanship",
        "It broke after a week.|The plastic feels cheap.|The handle fell off."
        "|The seams came apart.|It is badly made.|The colour came off in the wash."
        "|It fell apart after two days.|The material is cheap.|It is poorly made."
        "|The zip broke at once.|It stopped working after a few weeks.|The paint peels off."
        "|The stitching is bad.|It is flimsy.|The fabric tore on the first day.|Bad workmanship."
        "|It is made of thin plastic.|The button came off.|It does not last."
        "|The wood is rough and full of splinters.|It did not even last a month."
        "|The cheap handle fell off after a week.",
        "poor quality|how well it is made|cheap material|bad workmanship|poor material"
        "|a flimsy product|a thing that fell apart|how durable it is|something made badly"
        "|something made of cheap material|a thing that broke|how badly it is made"
        "|a product that did not last|material and quality|a handle that fell off"
        "|a thing that is badly made|something that broke soon|a badly made thing",
    ),
    "taste": (
        "taste|flavour|food|bad taste|meal|dish|flavor|food quality|eating",
        "The soup tasted of nothing.|The bread was dry and old.|The coffee is bitter."
        "|It tastes awful.|The meal was cold and without flavour.|The fruit was sour."
        "|The food had no flavour.|The sauce was too salty.|It tasted burnt."
        "|The pizza was cold and tough.|The meat was dry.|The wine was like vinegar."
        "|Dinner was tasteless.|The rice was not cooked.|The tea tastes like water."
        "|The fish tasted off.|It was far too spicy.|The salad was bitter."
        "|The eggs were cold and bland.|I did not like the flavour.|The cake was too sweet."
        "|The bread tasted old and the soup was bitter.",
        "the taste|food and flavour|a meal that tastes bad|bad food|how the food was|flavour"
        "|a dish that was too salty|tasteless food|the meal|the taste of food"
        "|food that tastes bad|a bitter or sour taste|food without flavour|how the meal tasted"
        "|the flavour of a meal|old bread or bitter coffee|how it tastes|bitter, sour or sweet",
    ),
    "staff": (
        "staff|service|personnel|rude staff|waiters|employees|unfriendly|waiter|friendliness",
        "The staff were rude.|Nobody in the shop helped me.|The waiter was unfriendly."
        "|I was treated badly by the seller.|The man at the desk shouted at us."
        "|The service was slow and rude.|The personnel was unfriendly."
        "|The lady at the counter was rude.|The seller did not want to help.|No one served us."
        "|The waitress was in a bad mood.|The employees were impolite."
        "|We were ignored by the staff.|The receptionist was not helpful."
        "|The clerk was arrogant.|They treated us like air.|The cook yelled at the guests."
        "|We were served very slowly and without a smile.|The man at the till was impolite."
        "|The people who work there do not care.|They ignored me for an hour."
        "|The waiter ignored us and was rude.",
        "the staff|how people were treated|a rude waiter or seller|unfriendly employees"
        "|bad service|impolite personnel|how the staff behaved|a waiter who was not nice"
        "|nobody who helps|staff who were rude|rude people in a shop"
        "|how the waiter treated people|an unfriendly waiter|people who were rude"
        "|service that was rude|a seller who does not help|unfriendly service"
        "|people who do not help",
    ),
}

BUILDING = {
    "heating": (
        "heating|boiler|no heat|cold|warm water|radiator|cold rooms|heater|warmth",
        "The heating does not work.|The room is ice cold.|The boiler makes no hot water."
        "|The heater stays cold.|It is freezing in the office."
        "|The radiator is cold since Sunday.|The radiators do not get warm.|We have no heating."
        "|It is cold in my flat.|There is no hot water in the shower.|The boiler is broken."
        "|The heating has failed.|It is only 12 degrees in here.|The heater does not turn on."
        "|We sit in our coats because it is cold.|The thermostat does not work."
        "|The radiator makes no heat.|Hot water is gone since morning."
        "|The heating goes off every night.|The rooms do not warm up.|There is no warm water."
        "|The radiator is cold and we are freezing.",
        "the heating or boiler|a cold room|no hot water|a broken boiler|no heat|a cold flat"
        "|missing hot water|radiators|warmth in the rooms|the heating|a radiator that is cold"
        "|heating that does not work|a boiler without hot water|a cold office"
        "|rooms that are cold|a heater that stays cold|heaters|a radiator that stays cold",
    ),
    "water": (
        "plumber|water|leaking|pipe|drain|toilet|blocked sink|pipes|leak",
        "Water drips from the ceiling.|The pipe in the kitchen leaks.|The sink is blocked."
        "|The toilet does not stop running.|There is a puddle under the sink."
        "|The tap drips day and night.|The bathroom is flooded.|A pipe has burst."
        "|Water is coming through the wall.|The washing basin is clogged.|The toilet is blocked."
        "|The shower drain does not run off.|The faucet leaks.|It drips from the pipe."
        "|There is water in the cellar.|Our ceiling is wet.|The flush does not stop."
        "|The waste pipe is clogged.|Water runs down the wall."
        "|A tap in the bathroom will not close.|The drain is blocked and water comes up."
        "|A pipe leaks and water is on the floor.",
        "water and pipes|a leak|a blocked sink or drain|a burst pipe|a clogged drain"
        "|a dripping tap|leaking water|a blocked toilet|plumbing|a pipe that leaks"
        "|water on the floor|a sink or toilet that is blocked|water that drips|dripping water"
        "|a blocked drain|leaks and pipes|a tap that drips|water where it should not be",
    ),
    "electric": (
        "electrician|lights|light|lamp|socket|electrical|wires|wiring|sockets",
        "The light in the hall does not turn on.|The socket gives sparks.|The lamp flickers."
        "|There is no light on the stairs.|A wire hangs out of the wall."
        "|The switch of the lamp is broken.|The lamps do not work."
        "|The bulb in the corridor is broken.|There is no current in the sockets."
        "|The plug socket is loose.|The light goes on and off.|Cables stick out of the wall."
        "|The switch gives me a shock.|We sit in the dark, the light is out."
        "|The ceiling lamp is dead.|The outlet smells burnt.|The light switch does nothing."
        "|The fuse for the kitchen lights trips.|The lamp in the yard stays dark."
        "|A loose wire sparks.|All lights in the corridor are out."
        "|The socket is dead and the light flickers.",
        "lights and sockets|a wire or switch|a lamp that flickers|broken lights|a socket"
        "|the wiring|lamps and switches|a light that is out|electrical trouble"
        "|a light that does not work|sockets or switches|a dead socket|lights that are out"
        "|trouble with the wiring|a switch that is broken|electric light"
        "|electric trouble in a room|light that does not turn on",
    ),
    "lock": (
        "locksmith|keys|key|lost key|door lock|locked out|entrance|door|lock",
        "I have lost my key.|The door cannot be locked.|The lock is stuck."
        "|I am locked out of my flat.|The key broke in the door.|The front door does not close."
        "|I lost the key to my flat.|I cannot open my door.|The key does not turn."
        "|The door will not lock.|I am standing outside without a key.|The lock is broken."
        "|My key snapped off.|The entrance door is jammed.|Someone stole my keys."
        "|I need a second key.|The door fell shut and the key is inside."
        "|I cannot get into my flat.|The door handle came off.|The bolt is jammed."
        "|I left the key inside.|The key is stuck and the door does not open.",
        "doors and keys|a lock that is stuck|a lost key|a broken lock|a missing key"
        "|a door that is jammed|not getting into the flat|the entrance door"
        "|a key that does not turn|a key that is lost|a door that cannot be opened|a lock or key"
        "|keys and locks|someone who is locked out|the key of a flat|a stuck lock"
        "|being locked out of a flat|a door that does not close",
    ),
    "lift": (
        "lift|elevator|elevators|stuck elevator|lift broken|lift stuck|elevator service"
        "|stuck lift|lift service",
        "The lift is stuck between two floors.|The elevator does not move."
        "|The lift makes strange noises and stops.|The doors of the lift do not open."
        "|Nobody can use the elevator.|The lift stops on the wrong floor."
        "|The lift is out of order.|The elevator got stuck.|We are trapped in the lift."
        "|The lift does not come.|The elevator doors stay closed.|The lift shakes and stops."
        "|The button of the lift does nothing.|The elevator skips our floor."
        "|We have to take the stairs because the lift is broken.|The lift has stopped working."
        "|The elevator hangs at the third floor.|People are caught in the elevator."
        "|The lift jerks.|The elevator is broken again.|Someone is stuck in the lift."
        "|The elevator stopped between the floors.",
        "the lift|an elevator that is stuck|someone in the lift|an elevator out of order"
        "|a broken lift|people trapped in the lift|elevator trouble|a lift that hangs"
        "|the elevator|a lift that is stuck|the elevator does not move"
        "|a person stuck in the elevator|elevators|a lift that stopped|a broken elevator"
        "|the lift between the floors|a lift that does not move|the doors of the elevator",
    ),
    "cleaning": (
        "cleaning|cleaners|dirty|garbage|clean|bins|trash|dirt|rubbish",
        "The stairs are dirty.|Nobody has emptied the bins.|The kitchen floor is sticky."
        "|There is rubbish in the yard.|The windows have not been cleaned for months."
        "|The toilets are dirty.|It is dirty everywhere.|The trash has not been taken out."
        "|The hallway needs cleaning.|The carpet is full of stains.|The bin overflows."
        "|Dust lies on all the desks.|The washrooms are filthy.|Nobody mops the floor."
        "|The garbage stinks.|The windows are so dirty you cannot see out."
        "|The cleaners did not come.|The stairway has not been swept."
        "|Litter lies around the house.|The kitchen is a mess.|The bins are full and smell."
        "|The floor is dirty and the rubbish smells.",
        "dirt and rubbish|cleaning|bins that are full|filth and litter|a room that is filthy"
        "|garbage|trash and dust|work for the cleaners|unclean stairs|floors that are dirty"
        "|full bins|rubbish that smells|dirty rooms|something that must be cleaned"
        "|dirt on the stairs|bins and rubbish|dirty floors|rooms that need to be cleaned",
    ),
    "garden": (
        "garden|gardener|plants|grass|tree|hedge|gardening|trees|lawn",
        "The grass is too high.|A tree has fallen over.|The hedge must be cut."
        "|Leaves cover the path.|The flowers need water.|The lawn has not been cut."
        "|The bushes need trimming.|The lawn must be mowed.|A tree is about to fall."
        "|The weeds grow everywhere.|The garden looks wild.|A branch broke off in the storm."
        "|The leaves have to be raked.|The roses are dry.|The hedge is too tall."
        "|The grass is knee high.|Roots lift the stones of the path."
        "|Please cut the old apple tree.|The flower beds are full of weeds."
        "|Please water the plants outside.|A branch hangs over the road."
        "|The tree and the hedge must be cut.",
        "trees and lawns|the garden|a hedge to be cut|mowing the lawn|weeds and bushes"
        "|a fallen tree|trimming the hedge|flowers and plants|work for the gardener|the lawn"
        "|trees or hedges|grass that is too high|a tree in the garden|leaves on the path"
        "|cutting trees and grass|work in the garden|grass and leaves|plants outside",
    ),
}

BANK = {
    "lost_card": (
        "lost card|block card|stolen card|card gone|card lost|block a card|missing card"
        "|card stolen|card block",
        "I have lost my bank card.|My card was stolen, please block it."
        "|I cannot find my card any more.|Please block my card at once."
        "|My wallet with the card is gone.|Someone stole my card on the train."
        "|I lost my credit card.|My debit card has been stolen."
        "|Please cancel my card, it is lost.|My purse was stolen with my cards."
        "|The card must be blocked now.|I left my card somewhere and it is gone."
        "|Someone has taken my bank card.|My card is missing.|A thief took my wallet."
        "|I do not have my card any more, stop it please.|My bag with the cards was stolen."
        "|I dropped my card in the street.|Block the card, a thief has it."
        "|My bank card got lost on holiday.|The card has disappeared."
        "|My card is gone, please block it.",
        "a lost or stolen card|blocking a card|a card that is gone|a missing bank card"
        "|a card that was stolen|a lost wallet|stopping a card|a thief who has the card"
        "|the loss of a card|a card that was lost|a bank card to be blocked"
        "|someone who lost the card|a card that is missing|the card was stolen"
        "|a wallet that is gone|stolen cards|a card to be blocked|a stolen wallet",
    ),
    "pin": (
        "pin|forgotten pin|new pin|pin forgotten|code|wrong pin|secret code|pin code|secret number",
        "I forgot my PIN.|I need a new PIN for my card.|I typed the wrong PIN three times."
        "|Please send me a new secret code.|The PIN letter has not come."
        "|How can I change my PIN?|I do not remember my PIN.|My PIN code is blocked."
        "|I entered a false PIN.|Please send the PIN again.|I would like to choose another PIN."
        "|I cannot recall my secret number.|The cash machine does not accept my PIN."
        "|My new card came without a PIN.|I have mixed up my PIN."
        "|What do I do if I forget the code of my card?|The four digit code is wrong."
        "|The letter with my code got lost.|I want to change the secret number."
        "|Please reset my PIN.|The machine says my PIN is wrong."
        "|I need a new PIN, the old one is wrong.",
        "a forgotten PIN|a new PIN|the secret code|the secret number|a PIN code"
        "|a code that was forgotten|changing the PIN|a PIN that is not accepted"
        "|the number code of a card|a PIN|the PIN of a card|a code that is wrong"
        "|a PIN that was forgotten|a secret code that is needed|someone who needs a new PIN"
        "|a new code|a wrong PIN|the code of a card",
    ),
    "loan": (
        "loan|credit|credits|borrow money|finance|lend|house loan|mortgage|borrow",
        "I would like to borrow money for a car.|We want to buy a house and need a loan."
        "|What are the rates for a credit?|Can I get a loan?|We need a mortgage."
        "|I want to pay off my loan earlier.|I need a loan for a kitchen."
        "|We would like to take out a mortgage.|Can you lend me money?|I am asking for a credit."
        "|What interest do you charge on loans?|I want to finance a car."
        "|We plan to build a house and need financing.|I would like to repay my loan early."
        "|How much credit can I get?|Please send me an offer for a loan."
        "|We need to borrow 5000 euros.|My monthly loan rate is too high."
        "|Is it possible to get a credit for my shop?|I am looking for a mortgage."
        "|How much money could I borrow?|We want to borrow money to buy a house.",
        "a loan or credit|borrowing money|a mortgage|taking out a loan|financing a house"
        "|a mortgage or credit|lending money|interest on a loan|someone who wants to borrow"
        "|a credit|money to be borrowed|someone who wants a loan|a loan for a house"
        "|borrowing money for a car|a wish for a credit|money to buy a house"
        "|money for a house or car|a wish to borrow",
    ),
    "transfer": (
        "transfer|send money|bank transfer|money sent|payment transfer|sent money|wire money"
        "|wire|wrong transfer",
        "My transfer has not arrived.|I sent money to the wrong person."
        "|The transfer to my landlord failed.|How do I send money abroad?"
        "|Please stop the transfer of today.|The money I sent is not there yet."
        "|The money I transferred did not reach the other person."
        "|My payment to another account is lost.|I transferred to a false account."
        "|The wire transfer is still pending.|Please call back my transfer."
        "|I want to send money to my sister.|My standing order was not carried out."
        "|The bank transfer was rejected.|I mistyped the IBAN.|The rent I sent has not come in."
        "|How long does a transfer take?|Please cancel the transfer I made this morning."
        "|The receiver did not get the money I wired.|I need to transfer money to Poland."
        "|I typed a wrong account number in the transfer."
        "|I sent a transfer and the money has not arrived.",
        "a transfer|sending money|money sent to someone|a bank transfer|wiring money"
        "|money that has not come in|a payment to another account|a transfer to the wrong person"
        "|a standing order|money that was sent|a transfer that has not arrived"
        "|money sent to the wrong person|a transfer that failed|sending money to someone"
        "|a transfer of money|money that has not arrived|a wrong account number"
        "|money that did not arrive",
    ),
    "limit": (
        "limit|card limit|daily limit|higher limit|more spending|limit change|maximum"
        "|raise limit|spending limit",
        "Please raise the limit of my card.|I need a higher limit for my trip."
        "|My limit is too low.|The card was refused because of the limit."
        "|Can I spend more per day?|Please lower my daily limit.|My card limit must go up."
        "|I want to raise my spending limit.|The limit of my account is not enough."
        "|I reached my limit.|Please increase the daily limit."
        "|I can only take out 200 a day, I need more.|Could you set my limit to 2000?"
        "|I want a lower limit for safety.|The purchase was over my limit."
        "|Please change the limit of my credit card.|How high is my limit and can it be raised?"
        "|My monthly limit is used up.|I would like to spend more with my card."
        "|For my holiday I need a bigger limit.|Set a new limit for my card."
        "|My daily limit is too low, please raise it.",
        "the limit of a card|spending more per day|a higher limit|raising the limit"
        "|a spending limit|the maximum per day|a limit that is too low|how much may be spent"
        "|changing the card limit|a limit that should be raised|the daily limit|raising a limit"
        "|a low limit|a new limit for a card|the limit of spending|a limit that should be higher"
        "|a daily limit|a limit to be changed",
    ),
    "fraud": (
        "fraud|unknown charge|stranger paid|not my payment|scam payment|abuse|unknown payment"
        "|suspicious|misuse",
        "There is a payment I did not make.|Someone used my card in another country."
        "|I do not know this charge.|A stranger took money from my account."
        "|I got a call from a false bank clerk.|This payment is not mine."
        "|I did not make this payment.|There is a charge that I do not recognise."
        "|My card data was used by criminals.|Someone ordered things with my card."
        "|Unknown debits appear on my account.|I fell for a fake bank mail."
        "|Money is missing, and I did not take it.|A fraudster emptied my account."
        "|I was cheated.|Someone pretended to be from the bank."
        "|A payment to a shop I do not know is on my statement."
        "|Somebody withdrew cash with a copy of my card.|Criminals have got into my account."
        "|I never bought this, it was not me.|My account was misused."
        "|A stranger used my card, the payment is not mine.",
        "a payment by a stranger|fraud|an unknown charge|criminals who used the card"
        "|a payment I did not make|being cheated|a fraudster|an unknown debit"
        "|a charge that is not recognised|a payment that is not mine"
        "|a stranger who used the card|a card used by someone else|an account that was misused"
        "|money taken by a stranger|an unknown payment|misuse of a card|misuse of an account"
        "|someone else who used the card",
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
