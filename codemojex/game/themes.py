"""The themes: eighteen symbols each, most distinct first (easy takes 8, normal 12, hard all).

Every symbol is one code point with default emoji presentation, Emoji version 11 or older, none of the six
that Telegram turns into a dice, and none that is easily taken for another of its theme.
``tests/game/test_keyboards.py`` checks all of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

Pairs = tuple[tuple[str, str], ...]

_FRUIT: Pairs = (
    ("🍎", "apple"),
    ("🍌", "banana"),
    ("🍇", "grapes"),
    ("🍓", "strawberry"),
    ("🍒", "cherries"),
    ("🍍", "pineapple"),
    ("🍋", "lemon"),
    ("🍉", "watermelon"),
    ("🥝", "kiwi"),
    ("🍑", "peach"),
    ("🍈", "melon"),
    ("🍐", "pear"),
    ("🥥", "coconut"),
    ("🥑", "avocado"),
    ("🌽", "corn"),
    ("🥕", "carrot"),
    ("🍆", "aubergine"),
    ("🥦", "broccoli"),
)

_ANIMALS: Pairs = (
    ("🐶", "dog"),
    ("🐱", "cat"),
    ("🐸", "frog"),
    ("🦊", "fox"),
    ("🐼", "panda"),
    ("🐷", "pig"),
    ("🐔", "chicken"),
    ("🐙", "octopus"),
    ("🦁", "lion"),
    ("🐮", "cow"),
    ("🐵", "monkey"),
    ("🦄", "unicorn"),
    ("🐧", "penguin"),
    ("🐢", "turtle"),
    ("🐝", "bee"),
    ("🦋", "butterfly"),
    ("🐬", "dolphin"),
    ("🦉", "owl"),
)

_FOOD: Pairs = (
    ("🍕", "pizza"),
    ("🍔", "burger"),
    ("🍟", "fries"),
    ("🍩", "doughnut"),
    ("🍪", "cookie"),
    ("🎂", "cake"),
    ("🍦", "ice cream"),
    ("🧀", "cheese"),
    ("🌭", "hot dog"),
    ("🍿", "popcorn"),
    ("🍣", "sushi"),
    ("🥐", "croissant"),
    ("🌮", "taco"),
    ("🥚", "egg"),
    ("🥨", "pretzel"),
    ("🍭", "lollipop"),
    ("🍯", "honey"),
    ("🍜", "noodles"),
)

_NATURE: Pairs = (
    ("🌵", "cactus"),
    ("🍄", "mushroom"),
    ("🌻", "sunflower"),
    ("🌊", "wave"),
    ("🌈", "rainbow"),
    ("🔥", "fire"),
    ("⭐", "star"),
    ("🌙", "moon"),
    ("🍁", "maple leaf"),
    ("⚡", "lightning"),
    ("🌲", "tree"),
    ("🌹", "rose"),
    ("⛄", "snowman"),
    ("🌍", "globe"),
    ("🌋", "volcano"),
    ("🍀", "clover"),
    ("💎", "gem"),
    ("🐚", "shell"),
)

_TRAVEL: Pairs = (
    ("🚗", "car"),
    ("🚀", "rocket"),
    ("🚁", "helicopter"),
    ("🚂", "train"),
    ("⛵", "sailing boat"),
    ("🚲", "bicycle"),
    ("🚜", "tractor"),
    ("🎈", "balloon"),
    ("⚓", "anchor"),
    ("⛺", "tent"),
    ("🛸", "flying saucer"),
    ("🏰", "castle"),
    ("🚑", "ambulance"),
    ("🛵", "scooter"),
    ("🚦", "traffic light"),
    ("🎡", "big wheel"),
    ("🗿", "stone head"),
    ("🛶", "canoe"),
)

_THINGS: Pairs = (
    ("🎸", "guitar"),
    ("🥁", "drum"),
    ("🎧", "headphones"),
    ("🎨", "palette"),
    ("🎁", "present"),
    ("🎃", "pumpkin"),
    ("🔑", "key"),
    ("⏰", "alarm clock"),
    ("💡", "light bulb"),
    ("📷", "camera"),
    ("🎹", "piano"),
    ("🔔", "bell"),
    ("🎷", "saxophone"),
    ("🎭", "masks"),
    ("🎬", "clapper"),
    ("📚", "books"),
    ("🧲", "magnet"),
    ("👑", "crown"),
)

THEMES: Mapping[str, tuple[str, Pairs]] = MappingProxyType(
    {
        "fruit": ("Fruit", _FRUIT),
        "animals": ("Animals", _ANIMALS),
        "food": ("Food", _FOOD),
        "nature": ("Nature", _NATURE),
        "travel": ("Travel", _TRAVEL),
        "things": ("Things", _THINGS),
    }
)
