"""Every rule of the game and every trap of Telegram, with the flows that play it.

A flow is named by its file and its sentence: "alone: the clock ends the game" is
``test_alone.py::test_the_clock_ends_the_game``. ``test_rules.py`` holds both to it: each flow named here exists,
and each flow there is stands here.
"""

from __future__ import annotations

RULES: dict[str, tuple[str, ...]] = {
    # -- symbols, guesses, scores ----------------------------------------------------------------
    "A keyboard is a themed set of 8, 12 or 18 symbols; there are several themes.": (
        "modes: a keyboard has as many symbols as its level says",
        "modes: every theme can be played",
    ),
    "The secret has six distinct symbols, drawn by dice.": (
        "modes: every theme can be played",
        "modes: known dice draw the same secret again",
    ),
    "The commitment is shown first, secret and nonce after; /verify recomputes it and says how to by hand.": (
        "alone: the commitment shown at the start is that of the secret shown at the end",
        "alone: verify proves it and its command prints the same",
        "alone: an open game cannot be verified",
    ),
    "Six distinct symbols of the keyboard; anything else is refused with reason and position, and costs nothing.": (
        "alone: what is no guess is refused with the reason and costs nothing",
        "alone: a guess may be written in many ways",
    ),
    "A symbol earns 100 less 20 for each place it is off; 540 and 580 cannot occur.": (
        "scores: a guess earns what the vectors say",
        "scores: 540 and 580 never come about",
    ),
    "classic tells total, percent, best and rank, never a mark for a position.": (
        "alone: a guess is answered with its points and the best so far",
        "modes: classic tells points and never a mark for a position",
    ),
    "pegs tells how many are exactly right and how many misplaced.": (
        "modes: pegs counts what is right and what is misplaced",
        "groups: the board shows what the mode shows",
    ),
    "pegs tells no points, at the end neither.": ("modes: the end of a pegs game tells pegs and no points",),
    "blind tells nothing until the end.": ("modes: blind says nothing until the end",),
    # -- help ------------------------------------------------------------------------------------
    "Pins fill their positions in later guesses; the merged guess is checked; they end with the game.": (
        "aids: pins fill their positions",
        "aids: a merged guess is checked",
        "aids: a pin that cannot be is refused",
        "aids: unpin frees a place or all",
        "aids: pins end with the game",
    ),
    "A hint names a symbol of the secret, twice a game, for 60 of the final best each.": (
        "aids: two hints name two symbols of the secret and cost sixty each",
        "aids: in a group a hint is told in private",
        "seasons: hints are taken off what counts",
    ),
    # -- the end ---------------------------------------------------------------------------------
    "A crack ends the game; the earliest admitted one wins, later guesses are too late.": (
        "alone: six right end the game and show secret and nonce",
        "modes: a crack wins in every mode",
        "aids: a crack wins whatever the hints",
        "groups: bo cracks it",
        "groups: the earliest crack wins and later guesses are too late",
        "groups: who was typing when the game ended is told that it came too late",
        "groups: six emojis long after a game are nobodys business",
        "groups: after a game other words are nobodys business",
    ),
    "The clock ends it.": (
        "alone: the clock ends the game",
        "alone: a guess after the clock ran out is refused",
        "groups: the clock ends a game and its buttons go",
    ),
    "/giveup ends it: alone at once, together by a majority or an admin.": (
        "alone: giving up alone ends the game at once",
        "groups: a majority gives up",
        "groups: an admin ends it alone",
        "groups: without guesses who opened it ends it and nobody else",
        "links: a room gives up by majority and everybody is told",
    ),
    "Rank: best total, then the earlier guess, then the player; nobody is placed without points.": (
        "groups: ranks go by best then by who was first",
        "aids: a player without points is not placed",
    ),
    # -- rooms -----------------------------------------------------------------------------------
    "Alone there is no clock, 12 guesses, and one game at a time.": (
        "alone: a game alone has no clock and twelve guesses",
        "alone: there is one game at a time",
        "modes: options come in any order and what is none is explained",
    ),
    "In a group there are 15 minutes and 30 guesses each; each topic is a room.": (
        "groups: a group has fifteen minutes and thirty guesses each",
        "groups: two groups play side by side",
        "people: somebody who joins later plays along",
        "topics: each topic has a game of its own",
    ),
    "Friends join by code or link; they see names and bests, never each other's guesses.": (
        "links: friends play one secret in their own chats",
        "links: members see names and bests and never a guess of another",
        "links: a code is typed or followed",
        "links: a wrong code is refused",
        "links: who leaves plays alone again",
        "links: a room has twelve guesses each and fifteen minutes",
    ),
    "Nobody can try the same twice in a game: it costs nothing, and tells again what the mode tells.": (
        "modes: the same guess again costs nothing and tells what its mode tells",
        "modes: the same guess again before its score is known is refused too",
        "groups: the same guess again is refused to whoever made it alone",
    ),
    "One guess a second; a flood is told once.": ("alone: a flood is slowed down and told once",),
    "Commands, buttons, codes, exports and mistakes have a pace, too; a flood is told once.": (
        "floods: commands and chatter are slowed down and told once",
        "floods: who has been quiet may go on",
        "floods: what waited at telegram is no flood",
        "floods: codes of rooms cannot be tried one after the other",
        "floods: exports have a pace of their own",
        "floods: what is no guess is explained some times only",
        "floods: taps are slowed down told once and each is answered",
        "floods: a flood delays nobody else",
        "floods: people who write as their group do not share a pace with those of another",
        "floods: commands for another bot cost nothing here",
    ),
    # -- the daily -------------------------------------------------------------------------------
    "One game a day for everybody: same secret, normal keyboard, 8 guesses, pegs.": (
        "daily: everybody has the same secret eight guesses and pegs",
        "daily: a crack does not end it for the others",
        "daily: nobody is told the secret before the day is over",
        "daily: it closes ten minutes after its day and whoever cracked first has won",
        "daily: in a group there is a link and the link begins it",
        "daily: it cannot be given up",
        "daily: who has finished it plays on alone",
        "daily: a game that is refused leaves guesses with the puzzle",
        "daily: a new game takes the guesses and says so",
        "daily: a game that friends begin meanwhile says that guesses are for the puzzle",
    ),
    "The day is the local date of the message's own time, also on days of 23 and 25 hours.": (
        "daily: a message of yesterday counts for yesterday while it may be on its way",
        "daily: after that it is told that the day is over",
        "daily: a message of today is not for the puzzle of yesterday",
        "daily: who was through with it is not told the next day that it is over",
        "daily: a day of 23 or 25 hours is a day",
    ),
    "Streaks, and a share text without spoilers.": (
        "daily: a day after the other makes a streak and a day left out ends it",
        "daily: a day with all guesses used is finished too",
        "daily: what is shared has no symbol of the keyboard and only once it is finished",
    ),
    # -- boards, settings, words -----------------------------------------------------------------
    "/board, /top by scope and period, /stats.": (
        "seasons: points of games are added up for the chat and for everybody",
        "seasons: each period has a board of its own",
        "seasons: a good guess and giving up brings no points",
        "seasons: somebody far down sees their own place",
        "seasons: stats count games wins guesses and the best",
    ),
    "/settings: language and default mode, of a person and of a group.": (
        "settings: a person chooses their language whatever telegram says",
        "settings: a person chooses the mode of games without one",
        "settings: buttons choose too",
        "settings: in a group admins choose and nobody else",
        "settings: what cannot be set is said",
    ),
    "/privacy: what is stored, export, forget me.": (
        "privacy: it is said what is stored",
        "privacy: everything is handed over as a file",
        "privacy: forgetting asks first",
        "privacy: who is forgotten leaves their guesses behind without a name",
        "privacy: a game alone is given up and the button does it",
        "privacy: who comes back begins anew",
    ),
    "/help, /rules with the names of the symbols, /ping.": (
        "settings: ping rules and help answer",
        "settings: rules without a game name the symbols of every theme",
    ),
    "English and Russian, plural forms right.": (
        "russian: a game alone from the greeting to the proof",
        "russian: numbers have the right form",
        "russian: a refusal is in russian",
        "russian: a group speaks the language of who brought the bot",
        "russian: everybody in a room is told in their own language",
    ),
    "The composer: symbols six a row, the guess so far, delete, clear, submit, pins shown.": (
        "composer: a guess is put together with buttons",
        "composer: the buttons are the keyboard six a row and three to change and send",
        "composer: the message shows the guess so far and the last symbol or all can be taken back",
        "composer: a symbol in the guess already and an unfinished guess change nothing",
        "composer: pins are shown and filled in",
        "composer: in a group everybody has a guess of their own and nobody sees it",
    ),
    "A stale version never counts twice; every press is answered.": (
        "composer: a second tap on submit is answered and counts once",
        "composer: buttons of an earlier guess are old",
        "composer: buttons of a game that is over change nothing",
    ),
    "Alone a message a guess; several that wait become one.": (
        "scores: results that wait for one chat become one message",
    ),
    "In a group one board message, edited at most once in 3 s, and a reaction.": (
        "groups: one board message shows every guess and nobody is answered one by one",
        "groups: a guess gets a reaction",
        "groups: a long board stays one message",
        "budgets: a board is edited at most once in three seconds",
    ),
    # -- who may act -----------------------------------------------------------------------------
    "Edited messages never count; one hint says so.": (
        "strangers: an edited message never counts and is told once",
        "strangers: an edited guess is not guessed again",
    ),
    "Channel posts and linked-channel forwards are ignored.": (
        "strangers: channel posts and what a linked channel forwards are ignored",
    ),
    "Anonymous admins and people writing as a channel cannot score; they are told once.": (
        "strangers: an anonymous admin cannot score and is told once",
        "strangers: an anonymous admin may end the game of the group",
        "strangers: who writes as a channel cannot score",
    ),
    "Forwarded guesses do not count; bots do not play.": (
        "strangers: a forwarded guess does not count",
        "strangers: another bot does not play",
    ),
    "A group that becomes a supergroup keeps its game, scores and settings.": (
        "people: a group that becomes a supergroup keeps its game and its settings",
        "people: a group that becomes a supergroup is not greeted again",
        "people: a migration that is learnt of while sending keeps the game too",
    ),
    "Who blocks the bot is unreachable until they write again.": (
        "people: who blocks the bot is left alone until they write again",
        "people: a block in the middle of a room delays nobody",
        "aids: who blocked the bot is charged for no hint that cannot be told",
        "people: a bot thrown out leaves the game and comes back to it",
    ),
    "With privacy mode on, /guess and replies to the board work, and the greeting says how to switch it.": (
        "groups: the bot greets a group and says how to guess",
        "groups: with privacy mode on the greeting says how to switch it off",
        "groups: with privacy mode on the command and replies to the board count",
        "groups: the board says what works here",
        "groups: a bot that was made an admin says that six emojis are enough",
    ),
}

TRAPS: dict[str, tuple[str, ...]] = {
    "The same message has been reported under two update ids.": (
        "strangers: the same message twice is one guess",
    ),
    "A lone dice emoji arrives as a dice, without text.": ("strangers: a lone dice is passed over",),
    "Unknown update kinds arrive with everything None.": (
        "strangers: an update of a kind nobody knows holds nobody up",
    ),
    "A chain of joiners must cost nothing.": ("strangers: two thousand joiners cost nothing",),
    "A reply in General has no usable thread id.": (
        "topics: general is a room too and is answered without a thread",
        "topics: a reply in general is played in general",
    ),
    "Old callback messages have no text; answers may come too late; data is whatever somebody sent.": (
        "composer: a press on a message too old to be seen is answered",
        "composer: an answer that comes too late harms nobody",
        "composer: data that no button had is answered and changes nothing",
        "composer: nobody plays in a game of others",
        "composer: a draft is its players alone",
        "composer: buttons of settings and privacy are not anybodys to forge",
        "links: a link that nobody made leads nowhere",
        "links: who has left a room plays in it no more",
    ),
    "Names are anything: markup, bidi controls, nothing at all.": (
        "people: a name is shown literally",
        "people: a blank name is told apart by its last four digits",
    ),
    "Ids go beyond 32 bits.": ("people: ids beyond 32 bits go all the way",),
    "Commands name the bot, or another one; most of what a group says is for nobody.": (
        "groups: a command may name the bot",
        "groups: what people say to each other is none of the bots business",
    ),
    "Budgets are per chat: one chat's trouble delays no other.": (
        "budgets: sixty guesses at once are all scored and shown and a guess elsewhere is answered at once",
        "budgets: a flood wait of one chat delays no other",
        "budgets: an answer that is lost is repeated once at most",
    ),
    "Nothing a player can see, no job and no log line carries an open game's secret.": (
        "leaks: a long random session in all modes gives nothing away",
        "leaks: a leak that is planted is found wherever it is",
        "leaks: what is told after the end is no leak",
    ),
}
