### How games stand: the board of one, the boards of many, a player's numbers.

board-running = 📋 <b>The game so far</b>
board-closed = 📋 <b>The last game</b>
board-nobody = No guess yet. Send six emojis!
board-nobody-did = Nobody guessed.
board-code = The code was { $symbols }.
board-new = /new starts another.
board-mine = You are { $rank }.
board-blind = The game is blind: points show at its end.
board-rank = { $rank }.
board-rank-far = { $rank }+.
board-winner = 🏆
board-unplaced = –
board-points = { $best }/600
board-hints = 💡 −{ $cost }
board-pegs = { $exact } in place, { $misplaced } elsewhere
board-left =
    { $n ->
        [1] You have one guess left.
       *[other] You have { $n } guesses left.
    }
board-none-left = You have no guesses left.
board-minutes =
    { $n ->
        [1] ⏳ One minute is left on the clock.
       *[other] ⏳ { $n } minutes are left on the clock.
    }
board-under-a-minute = ⏳ Less than a minute is left on the clock.
board-time-up = ⏰ Time's up! The code follows in a moment.
board-guesses =
    { $n ->
        [1] { $n } guess
       *[other] { $n } guesses
    }
board-more =
    { $n ->
        [1] … and one more player
       *[other] … and { $n } more players
    }

## The board that a group sees all the time

live-title = 🔐 <b>Crack the code:</b> six different emojis, in order.
live-over = 🏁 <b>This game is over.</b>
live-classic = { $symbols } { $total } · { $name }
live-pegs = { $symbols } ●{ $exact } ○{ $misplaced } · { $name }
live-blind = { $symbols } · { $name }
live-late = { $symbols } too late · { $name }
live-crack = { $symbols } 🎉 · { $name }
live-each =
    { $n ->
        [1] One guess each.
       *[other] { $n } guesses each.
    }
live-how = Guess: /guess and six emojis, a reply to this message, or the buttons.
live-how-sees-all = Guess: send six emojis, or use the buttons.
live-seal = 🔒 Sealed with <code>{ $commitment }</code>

## Many games

stats = 📊 <b>Your games</b>
stats-none = You haven't finished a game yet. /new starts one.
stats-games =
    { $n ->
        [1] { $n } game
       *[other] { $n } games
    }
stats-wins =
    { $n ->
        [0] no win
        [1] { $n } win
       *[other] { $n } wins
    }
stats-guesses =
    { $n ->
        [1] { $n } guess
       *[other] { $n } guesses
    }
stats-cracks =
    { $n ->
        [1] { $n } code cracked
       *[other] { $n } codes cracked
    }
stats-best = Best game: { $best }/600
stats-average = On average: { $average }/600
top-title = 🏆 <b>{ $scope } · { $period }</b>
top-global = Everybody
top-today = today
top-week = this week
top-month = this month
top-all = all time
top-none = Nobody has points here yet. /new starts a game, /rules says what counts.
top-points =
    { $n ->
        [1] { $n } point
       *[other] { $n } points
    }
top-mine = You: { $place }
