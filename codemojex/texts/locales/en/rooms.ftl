### Rooms that friends join by a code.

invite =
    👥 <b>Your room: <code>{ $code }</code></b>
    Friends come in through this link, or with <code>/join { $code }</code>:
    { $link }

    You all crack the same code, each in their own chat. /new starts the game, /leave takes you back to your own.
joined = 👥 <b>You're in room <code>{ $code }</code>.</b>
joined-with = With you: { $names }.
joined-more =
    { $n ->
        [1] { $names } and one more
       *[other] { $names } and { $n } more
    }
joined-alone = Nobody else is here yet.
joined-playing = A game is on: send six emojis, or /board to see how it stands.
joined-idle = /new starts a game for everybody here.
left = 👋 You left room <code>{ $code }</code>. Your next guesses are for your own games.
left-none = You're in no room. /invite opens one for you and your friends.
member-joined = 👋 <b>{ $name }</b> joined your room.
member-left = 👋 <b>{ $name }</b> left your room.
