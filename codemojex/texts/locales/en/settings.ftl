### Settings, and what is stored.

settings = ⚙️ <b>Settings</b>
settings-group = ⚙️ <b>Settings of this group</b>
settings-language = Language: { $language }
settings-language-auto = Language: { $language }, as Telegram tells me
settings-mode = Games without a mode: { $mode }
settings-how =
    Change them with the buttons, or with
    <code>/settings language en</code> (or ru, auto)
    <code>/settings mode pegs</code> (or classic, blind)
settings-how-group =
    Admins change them with the buttons, or with
    <code>/settings language en</code> (or ru, auto)
    <code>/settings mode pegs</code> (or classic, blind)
settings-changed = ✅ Done.
language-en = English
language-ru = Русский
language-auto = As in Telegram
mode-classic = classic
mode-pegs = pegs
mode-blind = blind

privacy =
    🔏 <b>What I store about you</b>
    your Telegram id, name and language
    your guesses, hints, pins and votes, and the games they belong to
    your settings, streak and places on the boards
    the messages that wait to be sent to you

    Nothing else, and nobody else gets it. Names stand on the boards of the games you play in.
    /privacy export sends you all of it as a file.
    /privacy forget deletes it.
privacy-ask =
    ⚠️ <b>Shall I forget you?</b>
    Your name, settings, streak and places are deleted, and your guesses no longer say whose they were. A game you play alone is given up. It can't be undone.

    <code>/privacy forget yes</code> does it.
privacy-button-forget = Forget me
privacy-button-keep = Keep everything
privacy-kept = Nothing was deleted.
privacy-forgotten = ✅ <b>You are forgotten.</b> If you ever write to me again, we start anew.
privacy-exported = 🔏 Everything I store about you.
