### The chat in a terminal: what it says itself, beside what the bot says there.

terminal-you = You
terminal-welcome = Crack a hidden code of six emojis: guess, read your points, guess better.
terminal-begin = /new starts a game. Then type six letters of the row below, like { $example }, and press Enter.
terminal-on = Your game goes on: type six letters of the row below, like { $example }, and press Enter.
terminal-past = <b>Your guesses so far</b>
terminal-line = codemojex: crack a hidden code of six emojis. /new starts a game, /help explains it. Then type six letters, like { $example }. Ctrl-D leaves.

terminal-placeholder =
    { $n ->
        [0] six letters send your pins as they are; or a command
        [1] the letter or emoji of the free place, or a command
        [6] six letters or emojis, or a command
       *[other] { $n } letters or emojis for the free places, or a command
    }
terminal-keys = Enter sends · Tab completes · /help · Ctrl-D leaves
terminal-leave = Ctrl-C once more leaves
terminal-bye = Bye!
terminal-edited = edited

terminal-letters = Letters: { $row }
terminal-help-title = On this terminal
terminal-help-letters = Each emoji has a letter; six letters are a guess, like { $example }. Names do as well, like { $name } or :{ $name }:. Both work after /pin and /guess, too.
terminal-help-keys = Tab finishes a command or an emoji's name, ↑ brings earlier lines back, Ctrl-C clears the line, Ctrl-D leaves.
terminal-help-buttons = A number presses the button that has it. A link of the bot is opened when you paste it.
terminal-command-help = Letters, Tab and keys of this terminal, and the rules
terminal-command-press = press a button: /press 2

terminal-press = Type a number to press its button.
terminal-no-button = There is no button { $button }. There are: { $buttons }.
terminal-no-buttons = There is no button to press.
terminal-link = Nobody else can open that link: this terminal seats you alone. Paste it here to see what it does. With codemojex play --web several people play on one machine, and join by the link or the code.
terminal-saved = Saved as { $path }, which only you can read.
terminal-unsaved = That file cannot be saved: { $why }.

terminal-empty = An empty line is not a message. Six emojis are a guess; /help says how.
terminal-cut = That line was cut to { $most } characters, the most a message holds.
terminal-refused = That cannot be sent: { $why }.
terminal-long = { $shown }… ({ $length } characters)
terminal-needs =
    { $n ->
        [0] six are needed, since all places are pinned
        [1] one is needed beside your pins
        [6] a guess needs six
       *[other] { $n } are needed beside your pins
    }
terminal-length =
    { $n ->
        [one] “{ $word }” has { $n } letter; { $needs }.
       *[other] “{ $word }” has { $n } letters; { $needs }.
    }
terminal-strange =
    { $n ->
        [one] { $letters } is no letter of this keyboard: { $span }.
       *[other] { $letters } are no letters of this keyboard: { $span }.
    }
terminal-strange-needs =
    { $n ->
        [one] { $letters } is no letter of this keyboard: { $span }, and { $needs }.
       *[other] { $letters } are no letters of this keyboard: { $span }, and { $needs }.
    }
terminal-no-name =
    { $n ->
        [one] { $names } is no emoji that I know. /rules names them all.
       *[other] { $names } are no emojis that I know. /rules names them all.
    }
terminal-and = { $some } and { $last }
