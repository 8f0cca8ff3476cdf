### Кто где: табло одной игры, таблицы многих, числа одного игрока.

board-running = 📋 <b>Как идёт игра</b>
board-closed = 📋 <b>Последняя игра</b>
board-nobody = Попыток ещё нет. Пришли шесть эмодзи!
board-nobody-did = Попыток не было.
board-code = Код был { $symbols }.
board-new = /new начинает новую.
board-mine = У тебя { $rank }.
board-blind = Игра идёт вслепую: очки откроются в конце.
board-rank = { $rank }.
board-rank-far = { $rank }+.
board-winner = 🏆
board-unplaced = –
board-points = { $best }/600
board-hints = 💡 −{ $cost }
board-pegs = { $exact } на месте, { $misplaced } не на месте
board-left =
    { $n ->
        [one] У тебя осталась { $n } попытка.
        [few] У тебя осталось { $n } попытки.
       *[many] У тебя осталось { $n } попыток.
    }
board-none-left = У тебя не осталось попыток.
board-minutes =
    { $n ->
        [one] ⏳ На часах осталась { $n } минута.
        [few] ⏳ На часах осталось { $n } минуты.
       *[many] ⏳ На часах осталось { $n } минут.
    }
board-under-a-minute = ⏳ На часах осталось меньше минуты.
board-time-up = ⏰ Время вышло! Сейчас покажу код.
board-guesses =
    { $n ->
        [one] { $n } попытка
        [few] { $n } попытки
       *[many] { $n } попыток
    }
board-more =
    { $n ->
        [one] … и ещё { $n } игрок
        [few] … и ещё { $n } игрока
       *[many] … и ещё { $n } игроков
    }

## Табло, которое группа видит всё время

live-title = 🔐 <b>Взломайте код:</b> шесть разных эмодзи по порядку.
live-over = 🏁 <b>Эта игра окончена.</b>
live-classic = { $symbols } { $total } · { $name }
live-pegs = { $symbols } ●{ $exact } ○{ $misplaced } · { $name }
live-blind = { $symbols } · { $name }
live-late = { $symbols } поздно · { $name }
live-crack = { $symbols } 🎉 · { $name }
live-each =
    { $n ->
        [one] У каждого { $n } попытка.
        [few] У каждого { $n } попытки.
       *[many] У каждого { $n } попыток.
    }
live-how = Попытка: /guess и шесть эмодзи, ответ на это сообщение или кнопки.
live-how-sees-all = Попытка: шесть эмодзи одним сообщением или кнопки.
live-seal = 🔒 Печать: <code>{ $commitment }</code>

## Много игр

stats = 📊 <b>Твои игры</b>
stats-none = Пока нет ни одной законченной игры. /new начинает первую.
stats-games =
    { $n ->
        [one] { $n } игра
        [few] { $n } игры
       *[many] { $n } игр
    }
stats-wins =
    { $n ->
        [0] побед пока нет
        [one] { $n } победа
        [few] { $n } победы
       *[many] { $n } побед
    }
stats-guesses =
    { $n ->
        [one] { $n } попытка
        [few] { $n } попытки
       *[many] { $n } попыток
    }
stats-cracks =
    { $n ->
        [one] { $n } взломанный код
        [few] { $n } взломанных кода
       *[many] { $n } взломанных кодов
    }
stats-best = Лучшая игра: { $best }/600
stats-average = В среднем: { $average }/600
top-title = 🏆 <b>{ $scope } · { $period }</b>
top-global = Все игроки
top-today = сегодня
top-week = эта неделя
top-month = этот месяц
top-all = всё время
top-none = Здесь пока ни у кого нет очков. /new начинает игру, /rules объясняет, что считается.
top-points =
    { $n ->
        [one] { $n } очко
        [few] { $n } очка
       *[many] { $n } очков
    }
top-mine = Ты: { $place }
