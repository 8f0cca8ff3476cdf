### A game from its first message to its last.

## A new game

new-title = 🔐 <b>A new code is hidden:</b> six different emojis, in order.
new-room = 👥 Room { $code }: everybody in it cracks the same code.
new-guesses =
    { $n ->
        [1] You have one guess.
       *[other] You have { $n } guesses.
    }
new-minutes =
    { $n ->
        [1] The game ends in a minute.
       *[other] The game ends in { $n } minutes.
    }
new-classic = After each guess I tell you your points.
new-pegs = After each guess I tell you how many are in place, and how many belong elsewhere.
new-blind = This game is blind: I don't say a word about your guesses until it ends.
new-keyboard =
    { $n ->
       *[other] <b>Send six of these { $n }, in the order you guess:</b>
    }
new-seal =
    🔒 Sealed with <code>{ $commitment }</code>
    I can't change the code any more; /verify proves it afterwards.

## Guesses

result-classic = { $symbols }  { $total }/600 · { $percent } %
result-pegs = { $symbols }  { $exact } in place · { $misplaced } elsewhere
result-blind = { $symbols }  noted
result-crack = 🎉 <b>That's the code!</b>
result-best = best { $best }
result-best-now = ✨ best so far
result-left =
    { $n ->
        [1] one guess left
       *[other] { $n } guesses left
    }
result-none-left = no guesses left
result-late = { $symbols }  came too late: the code was already cracked, so this one doesn't count.
rank =
    { ORDINAL($n) ->
        [one] { $n }st of { $of }
        [two] { $n }nd of { $of }
        [few] { $n }rd of { $of }
       *[other] { $n }th of { $of }
    }
guess-safe =
    { $n ->
        [1] 🛟 Your guess is safe, the score follows.
       *[other] 🛟 Your guesses are safe, the scores follow.
    }

## Pins, hints, votes, buttons

composer = 🎯 Your guess: { $slots }
composer-pins = 📌 { $places }
composer-pin = { $symbol } at { $position }
pins = 📌 Pinned: { $slots }
pins-rest =
    { $n ->
        [0] All six places are pinned. Send any guess of six emojis to send them as they are, or /unpin one.
        [1] Send the one emoji that is missing, or six as always.
       *[other] Send the { $n } emojis that are missing, or six as always.
    }
pins-none = Nothing is pinned. /pin 3 🍌 keeps an emoji in a place.
hint = 💡 { $symbol } ({ $name }) is in the code.
hint-cost = It costs { $cost } points of your best.
hint-left =
    { $n ->
        [0] That was your last hint in this game.
        [1] You have one more hint.
       *[other] You have { $n } more hints.
    }
hint-private = 💡 I've sent you the hint in our private chat.
hint-start-first = 💡 A hint is for you alone. Write to { $bot } once and send /start, then ask again here. It cost you nothing.
hint-start-first-nameless = 💡 A hint is for you alone. Write to me in private once and send /start, then ask again here. It cost you nothing.
vote =
    { $n ->
        [1] One vote of { $needed } to give up. /giveup adds yours.
       *[other] { $n } of { $needed } votes to give up. /giveup adds yours.
    }
vote-named = 🏳️ <b>{ $name }</b> wants to give up.
not-your-game = That's not your game. /new starts one.
button-failed = That didn't work. Please try again.
accepted = { $symbols } is on its way.

## The end

ended-you-won =
    { $n ->
        [1] 🏆 <b>Cracked with your very first guess!</b> I'm speechless.
       *[other] 🏆 <b>You cracked it in { $n } guesses!</b>
    }
ended-other-won = 🏁 <b>{ $winner } cracked the code!</b>
ended-gave-up = 🏳️ <b>You gave up.</b> This one goes to me!
ended-gave-up-together = 🏳️ <b>The game was given up.</b> This one goes to me!
ended-clock = ⏰ <b>Time's up!</b>
ended-out-of-guesses = 🏁 <b>That was your last guess.</b>
ended-out-of-guesses-together = 🏁 <b>All guesses are used up.</b>
ended-moved = 🔀 <b>This chat and another became one.</b> The other one's game goes on, this one is over.
ended-over = 🏁 <b>The game is over.</b>
ended-daily = 📅 <b>The puzzle of { $day } is over.</b>
ended-daily-first = { $winner } cracked it first.
ended-daily-you = 🏆 Nobody cracked it before you!
ended-best = Your best: { $best }/600.
ended-best-pegs = Your best: { $exact } in place, { $misplaced } elsewhere.
ended-rank = You were { $rank }.
ended-revealed = 👁 <b>What your guesses earned</b>
ended-revealed-row = { $number }. { $symbols }  { $points }/600
ended-revealed-cut =
    { $n ->
        [1] (and an earlier one)
       *[other] (and { $n } earlier ones)
    }
ended-code =
    🔓 The code: { $symbols }
    Its nonce, a random number: <code>{ $nonce }</code>
ended-again = /new plays again, /verify checks that I was honest.
ended-again-daily = /top shows the best, /daily is the next puzzle.
