### The puzzle of the day.

daily-title = 📅 <b>The puzzle of { $day }:</b> one code for everybody, six different emojis in order.
daily-now = Your guesses are for this puzzle until you have finished it; /leave goes back to your other games.
daily-cracked =
    { $n ->
        [1] 🏆 <b>Cracked with one guess!</b>
       *[other] 🏆 <b>Cracked in { $n } guesses!</b>
    }
daily-missed = 🏁 <b>That was your last guess.</b> The code is shown when the day is over.
daily-share = /share shows your friends how it went, without giving anything away.
daily-streak =
    { $n ->
        [1] 🔥 Your streak has begun: one day.
       *[other] 🔥 { $n } days in a row.
    }
daily-best-streak =
    { $n ->
        [1] Your best: one day.
       *[other] Your best: { $n } days.
    }
daily-already = You've had today's puzzle. The next one comes tomorrow.
daily-left = 📅 You left today's puzzle: your next guesses are for your other games. /daily goes on with it.
in-daily = 📅 You are in today's puzzle, and your guesses go there until you have finished it. /leave brings them to your room's game.
daily-in-group = 📅 Everybody plays the daily alone, in our private chat: { $link }
share = Codemojex { $day }  { $result }
share-streak =
    { $n ->
        [1] 🔥 1 day
       *[other] 🔥 { $n } days
    }
share-not-yet = Finish today's puzzle first: /daily.
