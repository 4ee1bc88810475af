"""A guide as a Mermaid flowchart."""

from __future__ import annotations

from bot.core.guides.diagram import flowchart
from tests.core.small import parsed, small, text_of
from tests.scenarios.playing import library


def test_steps_findings_automatic_ones_and_ends_look_different() -> None:
    chart = flowchart(small().guides["cut-off"]).splitlines()
    assert chart[0] == "flowchart TD"
    assert '    doing["What was Claude doing when it stopped?"]' in chart
    assert '    status(["The official status"])' in chart
    assert '    network[["Something on this network ends the connection"]]' in chart
    assert '    short -->|"It works again"| outcome_fixed((fixed))' in chart
    assert '    short -->|"The page in my browser drops too"| guide_page-lost{{"page-lost"}}' in chart


def test_a_question_for_a_fact_leads_back_to_where_it_was_asked() -> None:
    assert '    browser -->|"Chrome"| browser' in flowchart(small().facts)


def test_words_that_mean_something_to_mermaid_are_no_names() -> None:
    text = text_of("limit").replace("{#time}", "{#end}").replace("name a time?", 'say "#1; wait"?')
    chart = flowchart(parsed(text)[0])
    assert '    step_end["Does the line say #quot;#35;1; wait#quot;?"]' in chart
    assert '    step_end -->|"No"| outcome_handed_off((handed_off))' in chart


def test_every_choice_of_every_guide_is_an_arrow() -> None:
    for guide in library().guides.values():
        assert flowchart(guide).count("-->|") == sum(len(step.choices) for step in guide.steps)
