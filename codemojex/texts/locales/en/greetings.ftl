### Getting to know each other: greetings, help, the menu of commands, and what the bot cannot read.

player-nameless = Player { $digits }

start-named = 👋 Hello, <b>{ $name }</b>!
start-nameless = 👋 Hello!
start =
    I hide a code of six emojis. You send me six, I tell you how close you are, and guess by guess you crack it.

    /new starts a game, /daily is today's puzzle for everybody, /help explains the points.

greet =
    👋 <b>Hello, everybody!</b>
    I hide a code of six emojis, and whoever cracks it first wins. Everybody's guesses stand on one board, so learn from each other.

    /new starts a game, /help explains it.
greet-sees-all = I see every message here, so just send six emojis to guess.
greet-privacy =
    Guess with /guess 🍎🍌🍇🍓🍒🍍, or reply to the board with six emojis.
    To let everybody just send six emojis, make me an admin, or switch my privacy mode off with @BotFather and add me again.

help =
    <b>How to play</b>
    I hide six different emojis in a certain order. Send me six different ones, and I tell you how close you are.

    <b>Points</b>
    An emoji in its right place earns 100. One that belongs elsewhere earns 20 less for each place it is off. One that is not in the code earns nothing. All six right make 600: cracked!

    Say the code is { $code }. Then { $guess } earns 560: four are in place, and { $first } and { $second } are one place off, 80 each.

    <b>Games</b>
    classic: your points after each guess
    pegs: how many are in place, and how many belong elsewhere
    blind: not a word until the end
    On an easy keyboard there are 8 emojis, on a normal one 12, on a hard one 18.
    Themes: { $themes }.
    A number is the game's time in minutes, { $least } to { $most }; alone and without one there is no clock.

    <b>Commands</b>
    { $commands }

    Tell /new what you like, in any order: <code>/new hard pegs animals 15</code>.

rules =
    <b>The rules</b>
    The code has six different emojis of the keyboard. So has a guess.
    In its right place an emoji earns 100, elsewhere 20 less for each place it is off, not in the code nothing.
    The first guess with all 600 points wins.
    /pin 3 🍌 keeps an emoji in a place, and then you only send the others; /unpin frees it.
    /hint names an emoji of the code and costs { $cost } points of your best; a game has two.
    With equal points, who reached them first is ahead.
    You may try the same six only once in a game; I tell you when you did, and it costs nothing.
    Edited and forwarded messages never count.
rules-points =
    <b>Points for /top and /stats</b>
    When a game ends, your best guess in it counts, less your hints; cracked or not, in every mode.
    A game given up brings nobody points. /top adds up the games of a day, a week, a month, and all of them.
rules-names = <b>The emojis by name</b>
rules-theme = <b>{ $title }</b> (<code>/new { $theme }</code>)

command-new = start a game
command-guess = guess in a group: /guess and six emojis
command-board = how the game stands
command-pin = keep an emoji in a place: /pin 3 🍌
command-unpin = free a place again: /unpin 3
command-hint = learn an emoji of the code, at a price
command-giveup = end the game and see the code
command-daily = today's puzzle, the same for everybody
command-share = share how the daily went
command-invite = play against friends
command-join = join friends by their code
command-leave = leave your friends' room
command-stats = your games in numbers
command-top = the best of today, the week, the month
command-verify = check that I never changed the code
command-rules = the rules, and the emojis by name
command-settings = language and usual mode
command-privacy = what I store, and how to delete it
command-ping = see whether I'm awake
command-help = how to play

ping = 🏓 I'm here: { $ms } ms.
unknown-command = I don't know { $command }. /help lists what I understand.
only-in-private = That works in our private chat. Write to { $bot }.
only-in-private-nameless = That works in our private chat. Write to me there.

aside-edited = ✏️ An edited message doesn't count. Send your guess as a new one.
aside-anonymous = 🎭 I can't tell who you are: anonymous admins and channels can't play. Write as yourself, and your guess counts.
aside-playing = That's no guess. /board shows how you stand, /help explains the points.
aside-idle = No game is on. /new starts one, /help explains it.
