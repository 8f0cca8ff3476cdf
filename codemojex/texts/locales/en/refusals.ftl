### Why not. A refused guess costs nothing.

refused-not-six = A guess has six emojis; I count { $count }. Try again, it cost you nothing.
refused-empty = There's nothing in your guess. Send six emojis of the keyboard.
refused-too-long = That's far too long for a guess. Six emojis will do.
refused-unknown = { $shown } (position { $position }) is not on this game's keyboard. Try again, it cost you nothing.
refused-unknown-many = Not on this game's keyboard: { $places }. Try again, it cost you nothing.
refused-unknown-place = { $shown } (position { $position })
refused-repeated = { $symbol } is in there twice, at positions { $first } and { $position }. All six must differ. Try again, it cost you nothing.
refused-forwarded = ↪️ Forwarded guesses don't count, and this one cost you nothing. Send your own.
refused-no-game = No game is on. /new starts one.
refused-game-over = That game has ended. /new starts another.
refused-out-of-guesses =
    { $n ->
        [1] You've had your one guess in this game.
       *[other] You've had all { $n } guesses in this game.
    }
refused-already-tried = You've tried these six already: that was your guess number { $number }. This one cost you nothing.
refused-already-tried-points = You've tried these six already: { $total }/600. This one cost you nothing.
refused-already-tried-pegs = You've tried these six already: { $exact } in place, { $misplaced } elsewhere. This one cost you nothing.
refused-too-fast =
    { $n ->
        [1] Easy! I take one guess a second. Send this one again, it cost you nothing.
       *[other] Easy! I take { $n } guesses a second. Send this one again, it cost you nothing.
    }
refused-too-slow =
    { $n ->
        [1] Easy! I take one guess a second. Send this one again, it cost you nothing.
       *[other] Easy! I take one guess in { $n } seconds. Send this one again, it cost you nothing.
    }
refused-too-much = Easy! That's a lot at once. Wait a moment, then go on.
refused-not-a-player = Only people can play here, writing as themselves.
refused-game-running = A game is on already. /board shows how it stands, /giveup ends it.
refused-nothing-to-give-up = No game is on, so there's nothing to give up. /new starts one.
refused-not-yours-to-give-up = Only those who have guessed in this game can vote to give up; before the first guess, only who opened it.
refused-bad-option =
    I can't make sense of “{ $option }” there. Say it like <code>/new hard pegs animals 15</code>:
    easy, normal or hard
    classic, pegs or blind
    { $themes }
    and, for a game against the clock, its minutes, { $least } to { $most }.
refused-one-of-a-kind = Only one of { $words } fits a game: { $first } or { $option }?
refused-one-theme = Only one theme fits a game: { $first } or { $option }?
refused-one-clock = A game has only one clock: { $first } or { $option } minutes?
refused-bad-minutes = “{ $option }” is no time for a game. Give it { $least } to { $most } minutes, like <code>/new 15</code>.
refused-not-filling =
    { $n ->
        [0] All six places are pinned: send six emojis, and the pins take their places. /unpin frees one.
        [1] With your pins a guess is one more emoji, or six; I count { $count }. It cost you nothing.
       *[other] With your pins a guess is { $n } more emojis, or six; I count { $count }. It cost you nothing.
    }
refused-already-solved = You have cracked today's puzzle already. The next one comes tomorrow.
refused-daily-not-given-up = The puzzle of the day ends by itself, so it can't be given up.
refused-vote-counted =
    { $n ->
        [1] Your vote counts already: it's the only one, and it takes { $needed }.
       *[other] Your vote counts already: there are { $n } of { $needed }.
    }
refused-no-hints-left =
    { $n ->
        [1] You've had your one hint in this game.
        [2] You've had both hints in this game.
       *[other] You've had all { $n } hints in this game.
    }
refused-bad-position = “{ $position }” is no place in the code. Say it like <code>/pin 3 🍌</code>, with a place from 1 to 6.
refused-not-one-symbol = A pin is one emoji; I count { $count }. Say it like <code>/pin 3 🍌</code>.
refused-not-on-keyboard = { $shown } is not on this game's keyboard.
refused-pin-taken = { $symbol } is pinned at { $position } already. /unpin { $position } frees it.
refused-stale-draft = These buttons are old: that guess was sent already. Use the newest ones.
refused-no-such-room = There's no room “{ $code }”. Ask your friend for the code once more.
refused-no-code = Which room? Send /join and the code your friend gave you, like <code>/join K7XM2P</code>.
refused-day-over = The puzzle of { $day } is over, so that doesn't count. /daily is today's.
refused-admins-only = Only admins of this group can change its settings.
refused-not-a-setting = I don't know that setting. /settings shows what there is.
refused-words = { $others } or { $last }
refused-other = That can't be done just now. /help lists what I understand.

## A secret chosen on the command line

secret-not-six = a secret has six different emojis; I count { $count }.
secret-too-long = that's far too long for a secret; six different emojis will do.
secret-unknown =
    { $n ->
        [1] { $places } is not on the { $level } { $theme } keyboard, which has { $symbols }.
       *[other] { $places } are not on the { $level } { $theme } keyboard, which has { $symbols }.
    }
secret-repeated = { $symbol } is in there twice, at positions { $first } and { $position }; all six emojis must differ.
