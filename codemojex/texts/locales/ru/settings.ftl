### Настройки и то, что хранится.

settings = ⚙️ <b>Настройки</b>
settings-group = ⚙️ <b>Настройки этой группы</b>
settings-language = Язык: { $language }
settings-language-auto = Язык: { $language }, как в Telegram
settings-mode = Режим, если не сказано иначе: { $mode }
settings-how =
    Изменить можно кнопками или так:
    <code>/settings language ru</code> (или en, auto)
    <code>/settings mode pegs</code> (или classic, blind)
settings-how-group =
    Администраторы меняют их кнопками или так:
    <code>/settings language ru</code> (или en, auto)
    <code>/settings mode pegs</code> (или classic, blind)
settings-changed = ✅ Готово.
language-en = English
language-ru = Русский
language-auto = Как в Telegram
mode-classic = classic (очки)
mode-pegs = pegs (на месте или нет)
mode-blind = blind (вслепую)

privacy =
    🔏 <b>Что я о тебе храню</b>
    номер в Telegram, имя и язык
    попытки, подсказки, закрепления, голоса и игры, к которым они относятся
    настройки, серию и места в таблицах
    сообщения, которые ждут отправки тебе

    Больше ничего, и никто другой этого не получит. Имя видно на табло тех игр, в которых ты играешь.
    /privacy export пришлёт всё это файлом.
    /privacy forget это удалит.
privacy-ask =
    ⚠️ <b>Забыть тебя?</b>
    Имя, настройки, серия и места в таблицах удалятся, а по попыткам больше не будет видно, чьи они. Игра, в которой ты играешь в одиночку, будет сдана. Отменить это нельзя.

    Если да, то <code>/privacy forget yes</code>.
privacy-button-forget = Забыть меня
privacy-button-keep = Оставить всё
privacy-kept = Ничего не удалено.
privacy-forgotten = ✅ <b>Всё забыто.</b> Если когда-нибудь напишешь мне снова, начнём с чистого листа.
privacy-exported = 🔏 Всё, что я о тебе храню.
