"""Long runs are written down part by part: each refreshes its own figures and leaves the others."""

from __future__ import annotations

import shutil

import pytest

from tests.faults import report
from tests.faults.crowd import Sent
from tests.faults.harms import HARMS
from tests.faults.matrix import Case, Outcome
from tests.faults.reckoning import Findings
from tests.faults.report import Broken, Part, write
from tests.faults.soak import Blow, Journey, Soaked, blows
from tests.faults.steps import SEAMS
from tests.faults.storm import Struck


@pytest.fixture
def page(tmp_path):
    return shutil.copy(report.PAGE, tmp_path / "reliability.md")


@pytest.mark.parametrize("part", Part)
def test_a_part_of_a_run_refreshes_its_own_figures_alone(page, part):
    # given
    for each in Part:
        write(each, f"the figures of {each}, before", page)
    before = page.read_text()

    # when
    write(part, f"the figures of {part}, now", page)

    # then
    assert page.read_text() == before.replace(f"{part}, before", f"{part}, now")


def test_a_page_without_a_place_for_them_is_left_alone(page):
    page.write_text("nothing here")
    with pytest.raises(ValueError, match="no place"):
        write(Part.SOAK, "figures", page)
    assert page.read_text() == "nothing here"


def test_the_matrix_counts_each_case_once_by_fault_and_once_by_step():
    # given
    outcomes = [Outcome(Case(seam, HARMS[0]), Findings(7), 1.5) for seam in SEAMS[:3]]

    # when
    text = report.of_matrix(outcomes, Broken(3, 4), 1)

    # then
    assert f"| {HARMS[0].says} | 3 | 21 | 0 | 0 | 0 | 1.5 | 1.5 |" in text
    assert f"| {SEAMS[0].who}: {SEAMS[0].says} | 1 | 7 | 0 | 0 | 0 | 1.5 | 1.5 |" in text
    assert "killed 3 times and connections cut 4 times" in text


def soaked(**found) -> Soaked:
    """Three guesses: told before the trouble at 10, 2 s after it, and never."""
    sent = [Sent(1, number, "") for number in range(3)]
    ends = (9.0, 12.0, None)
    journeys = [Journey(guess, 5.0, end) for guess, end in zip(sent, ends, strict=True)]
    return Soaked(Findings(3, **found), [Struck("cut", 10.0)], journeys, {}, 0, 0, 0)


def test_a_trouble_meets_what_was_on_its_way_and_not_told_yet():
    # given: the third was refused, so it waits for nothing
    assert blows(soaked()) == {"cut": [Blow(1, 0, 0, 0, 2.0)]}
    assert blows(soaked(told_again={Sent(1, 1, "")})) == {"cut": [Blow(1, 0, 0, 1, 2.0)]}


def test_a_lost_guess_is_counted_at_the_trouble_that_met_it():
    # given
    lost = soaked(lost={Sent(1, 2, ""): "is scored"})

    # then
    assert blows(lost) == {"cut": [Blow(2, 1, 0, 0, 2.0)]}
    assert lost.found.broken == ["Sent(chat_id=1, message_id=2, symbols='') is scored"]
    assert "| all lines of a process are cut | 1 | 2 | 1 | 0 | 0 | 2.0 | 2.0 |" in report.of_soak(
        [lost], Broken(), 60
    )
