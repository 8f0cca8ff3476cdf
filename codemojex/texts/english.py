"""English.

Telegram HTML with {fields}. A sentence said of a number has a form for each CLDR category; English knows
`one` and `other` for counting, and `one`, `two`, `few`, `other` for ranks (1st, 2nd, 3rd, 4th).
"""

from __future__ import annotations

from codemojex.texts.catalog import Category, Forms, Language


def cardinal(n: int) -> Category:
    """1 guess, 2 guesses."""
    return "one" if n == 1 else "other"


def ordinal(n: int) -> Category:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    if n % 100 in (11, 12, 13):
        return "other"
    endings: dict[int, Category] = {1: "one", 2: "two", 3: "few"}
    return endings.get(n % 10, "other")


SENTENCES: dict[str, str | Forms] = {
    "player.nameless": "Player {digits}",
    # --- getting to know each other
    "start.named": "👋 Hello, <b>{name}</b>!",
    "start.nameless": "👋 Hello!",
    "start": (
        "I hide a code of six emojis. You send me six, I tell you how close you are, "
        "and guess by guess you crack it.\n\n"
        "/new starts a game, /help explains the points."
    ),
    "help": (
        "<b>How to play</b>\n"
        "I hide six different emojis in a certain order. Send me six different ones, "
        "and I tell you how close you are.\n\n"
        "<b>Points</b>\n"
        "An emoji in its right place earns 100. One that belongs elsewhere earns 20 less "
        "for each place it is off. One that is not in the code earns nothing. "
        "All six right make 600: cracked!\n\n"
        "Say the code is {code}. Then {guess} earns 560: "
        "four are in place, and {first} and {second} are one place off, 80 each.\n\n"
        "<b>Games</b>\n"
        "classic: your points after each guess\n"
        "pegs: how many are in place, and how many belong elsewhere\n"
        "blind: not a word until the end\n"
        "On an easy keyboard there are 8 emojis, on a normal one 12, on a hard one 18.\n"
        "Themes: {themes}.\n"
        "A number is the game's time in minutes, {least} to {most}; without one there is no clock.\n\n"
        "<b>Commands</b>\n"
        "{commands}\n\n"
        "Tell /new what you like, in any order: <code>/new hard pegs animals 15</code>."
    ),
    "command.new": "start a game",
    "command.board": "how the game stands",
    "command.giveup": "end the game and see the code",
    "command.verify": "check that I never changed the code",
    "command.help": "how to play",
    "unknown_command": "I don't know {command}. /help lists what I understand.",
    "private_only": "I play in private chats for now. Write to {bot} and send /new.",
    "private_only.nameless": "I play in private chats for now. Write to me there and send /new.",
    # --- a new game
    "new.title": "🔐 <b>A new code is hidden:</b> six different emojis, in order.",
    "new.guesses": {"one": "You have one guess.", "other": "You have {n} guesses."},
    "new.minutes": {"one": "The game ends in a minute.", "other": "The game ends in {n} minutes."},
    "new.classic": "After each guess I tell you your points.",
    "new.pegs": "After each guess I tell you how many are in place, and how many belong elsewhere.",
    "new.blind": "This game is blind: I don't say a word about your guesses until it ends.",
    "new.keyboard": "<b>Send six of these {n}, in the order you guess:</b>",
    "new.seal": (
        "🔒 Sealed with <code>{commitment}</code>\n"
        "I can't change the code any more; /verify proves it afterwards."
    ),
    # --- after a guess
    "result.classic": "{symbols}  {total}/600 · {percent} %",
    "result.pegs": "{symbols}  {exact} in place · {misplaced} elsewhere",
    "result.blind": "{symbols}  noted",
    "result.crack": "🎉 <b>That's the code!</b>",
    "result.best": "best {best}",
    "result.best_now": "✨ best so far",
    "result.repeated": "you had this one before",
    "result.left": {"one": "one guess left", "other": "{n} guesses left"},
    "result.none_left": "no guesses left",
    "result.late": "{symbols}  came too late: the code was already cracked, so this one doesn't count.",
    "rank": {
        "one": "{n}st of {of}",
        "two": "{n}nd of {of}",
        "few": "{n}rd of {of}",
        "other": "{n}th of {of}",
    },
    # --- the end
    "ended.you_won": {
        "one": "🏆 <b>Cracked with your very first guess!</b> I'm speechless.",
        "other": "🏆 <b>You cracked it in {n} guesses!</b>",
    },
    "ended.other_won": "🏁 <b>{winner} cracked the code!</b>",
    "ended.gave_up": "🏳️ <b>You gave up.</b> This one goes to me!",
    "ended.clock": "⏰ <b>Time's up!</b>",
    "ended.out_of_guesses": "🏁 <b>That was your last guess.</b>",
    "ended.over": "🏁 <b>The game is over.</b>",
    "ended.best": "Your best: {best}/600.",
    "ended.revealed": "👁 <b>What your guesses earned</b>",
    "ended.revealed.row": "{number}. {symbols}  {points}/600",
    "ended.revealed.cut": {"one": "(and an earlier one)", "other": "(and {n} earlier ones)"},
    "ended.code": "🔓 The code: {symbols}\nIts nonce: <code>{nonce}</code>",
    "ended.again": "/new plays again, /verify checks that I was honest.",
    # --- the board
    "board.running": "📋 <b>The game so far</b>",
    "board.closed": "📋 <b>The last game</b>",
    "board.nobody": "No guess yet. Send six emojis!",
    "board.nobody_did": "Nobody guessed.",
    "board.code": "The code was {symbols}.",
    "board.new": "/new starts another.",
    "board.mine": "You are {rank}.",
    "board.blind": "The game is blind: points show at its end.",
    "board.rank": "{rank}.",
    "board.winner": "🏆",
    "board.unplaced": "–",
    "board.points": "{best}/600",
    "board.pegs": "{exact} in place, {misplaced} elsewhere",
    "board.left": {"one": "You have one guess left.", "other": "You have {n} guesses left."},
    "board.none_left": "You have no guesses left.",
    "board.minutes": {
        "one": "⏳ One minute is left on the clock.",
        "other": "⏳ {n} minutes are left on the clock.",
    },
    "board.under_a_minute": "⏳ Less than a minute is left on the clock.",
    "board.time_up": "⏰ Time's up! The code follows in a moment.",
    "board.guesses": {"one": "{n} guess", "other": "{n} guesses"},
    # --- proof
    "verify.last": (
        "This is about your last finished game. The one that is on stays sealed until it ends; /verify it then."
    ),
    "verify.kept": (
        "✅ <b>The code never changed.</b> Code and nonce give exactly the seal I showed you at the start:"
    ),
    "verify.broken": (
        "❌ <b>Code and nonce don't give the seal I showed you.</b> This must not happen; please report it."
    ),
    "verify.seal": "<code>{commitment}</code>",
    "verify.code": "Code: {symbols}\nNonce: <code>{nonce}</code>",
    "verify.hand": "Don't take my word for it. In a terminal, this prints the same:\n<pre>{command}</pre>",
    "verify.nothing": "There's nothing to check yet: finish a game first. /new starts one.",
    "verify.not_yet": (
        "There's nothing to check yet: the game that is on stays sealed until it ends, "
        "and none was finished before."
    ),
    # --- hints
    "hint.edited": "✏️ An edited message doesn't count. Send your guess as a new one.",
    "hint.not_text": "I only read text. Send six emojis as your guess, or /help.",
    "hint.playing": "That's no guess. /board shows how you stand, /help explains the points.",
    "hint.idle": "No game is on. /new starts one, /help explains it.",
    # --- refusals
    "refused.not_six": "A guess has six emojis; I count {count}. Try again, it cost you nothing.",
    "refused.empty": "There's nothing in your guess. Send six emojis of the keyboard.",
    "refused.too_long": "That's far too long for a guess. Six emojis will do.",
    "refused.unknown": (
        "{shown} (position {position}) is not on this game's keyboard. Try again, it cost you nothing."
    ),
    "refused.unknown.many": "Not on this game's keyboard: {places}. Try again, it cost you nothing.",
    "refused.unknown.place": "{shown} (position {position})",
    "refused.repeated": (
        "{symbol} is in there twice, at positions {first} and {position}. "
        "All six must differ. Try again, it cost you nothing."
    ),
    "refused.forwarded": "↪️ Forwarded guesses don't count, and this one cost you nothing. Send your own.",
    "refused.no_game": "No game is on. /new starts one.",
    "refused.game_over": "That game has ended. /new starts another.",
    "refused.out_of_guesses": {
        "one": "You've had your one guess in this game.",
        "other": "You've had all {n} guesses in this game.",
    },
    "refused.too_fast": {
        "one": "Easy! I take one guess a second. Send this one again, it cost you nothing.",
        "other": "Easy! I take {n} guesses a second. Send this one again, it cost you nothing.",
    },
    "refused.too_fast.slower": {
        "one": "Easy! I take one guess a second. Send this one again, it cost you nothing.",
        "other": "Easy! I take one guess in {n} seconds. Send this one again, it cost you nothing.",
    },
    "refused.not_a_player": "Only people can play here, writing as themselves.",
    "refused.game_running": "A game is on already. /board shows how it stands, /giveup ends it.",
    "refused.nothing_to_give_up": "No game is on, so there's nothing to give up. /new starts one.",
    "refused.not_yours_to_give_up": "Others are playing too, so you can't end this game alone.",
    "refused.bad_option": (
        "I can't make sense of “{option}” there. Say it like <code>/new hard pegs animals 15</code>:\n"
        "easy, normal or hard\n"
        "classic, pegs or blind\n"
        "{themes}\n"
        "and, for a game against the clock, its minutes, {least} to {most}."
    ),
    "refused.one_of_a_kind": "Only one of {words} fits a game: {first} or {option}?",
    "refused.one_theme": "Only one theme fits a game: {first} or {option}?",
    "refused.one_clock": "A game has only one clock: {first} or {option} minutes?",
    "refused.bad_minutes": (
        "“{option}” is no time for a game. Give it {least} to {most} minutes, like <code>/new 15</code>."
    ),
    "words.last": "{others} or {last}",
    "refused.other": "That can't be done just now. /help lists what I understand.",
    # --- a secret chosen on the command line
    "secret.not_six": "a secret has six different emojis; I count {count}.",
    "secret.too_long": "that's far too long for a secret; six different emojis will do.",
    "secret.unknown": {
        "one": "{places} is not on the {level} {theme} keyboard, which has {symbols}.",
        "other": "{places} are not on the {level} {theme} keyboard, which has {symbols}.",
    },
    "secret.repeated": (
        "{symbol} is in there twice, at positions {first} and {position}; all six emojis must differ."
    ),
}

ENGLISH = Language(code="en", sentences=SENTENCES, cardinal=cardinal, ordinal=ordinal)
