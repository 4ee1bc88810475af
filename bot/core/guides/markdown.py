"""A guide's Markdown into a `Guide`. Every complaint names the line; one read collects them all.

The format is described for authors in content/README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from markdown_it.tree import SyntaxTreeNode

from bot.core.frozen import frozen
from bot.core.guides.attributes import Attributes, split_attributes
from bot.core.guides.frontmatter import FrontMatter, split_front_matter
from bot.core.guides.guide import (
    Choice,
    Condition,
    Guide,
    Onward,
    Outcome,
    Question,
    Step,
    Target,
    ToOutcome,
    ToStep,
    Variant,
)
from bot.core.guides.inline import inline_text, parser, spans
from bot.core.guides.problem import Problem
from bot.core.guides.unshown import unshown
from bot.core.text import Block, Bullets, Code, Evidence, Inline, Note, Steps, Text, Undo, plain

if TYPE_CHECKING:
    from markdown_it.token import Token

OUTCOMES = "outcomes"
"""The file whose headings are the ways a conversation ends; `outcomes.md#fixed` is a choice's link to one."""

_STEP = frozenset(
    {"bypass", "destructive", "retry", "human", "hide", "add", "evidence", "source", "auto", "cause", "was"}
)
_PART = frozenset({"when"})
_QUESTION = frozenset({"evidence", "source", "says"})
_CHOICE_WORDS = frozenset({"href", "id", "says", "was"})
_ID = re.compile(r"[\w-]+")
_LINK = re.compile(r"^(?:(?P<file>[\w-]+)\.md)?(?:#(?P<anchor>[\w-]*))?$")


@frozen
class Patch:
    """A guide file as read: `merge` says that it lies over a guide of the same name instead of replacing it.

    adds and hides: step ids marked `{#id add}` and `{#id hide}`.
    """

    guide: Guide
    merge: bool = False
    adds: frozenset[str] = frozenset()
    hides: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Section:
    """A heading of level two or three with the blocks below it."""

    level: int
    title: Inline
    attributes: Attributes
    line: int
    nodes: list[SyntaxTreeNode] = field(default_factory=list)
    parts: list[_Section] = field(default_factory=list)


def read_guide(text: str, *, guide_id: str, locale: str = "en", path: str = "") -> tuple[Patch, tuple[Problem, ...]]:
    """Return what can be read of `text`, and everything that cannot."""
    reader = _Reader(guide_id, locale, path or f"{guide_id}.md")
    return reader.read(text), tuple(reader.problems)


class _Reader:
    """One reading of one file."""

    def __init__(self, guide_id: str, locale: str, path: str) -> None:
        self.guide_id, self.locale, self.path = guide_id, locale, path
        self.problems: list[Problem] = []
        self.offset = 0

    def complain(self, line: int, message: str, rule: str = "format") -> None:
        # A problem is one line, whatever was quoted from the guide.
        self.problems.append(Problem(self.path, line, rule, " ".join(message.split())))

    def line(self, node: SyntaxTreeNode) -> int:
        return self.offset + (node.map[0] + 1 if node.map else 1)

    def read(self, text: str) -> Patch:
        front, body, self.offset = split_front_matter(text, self.path, self.problems)
        tree = SyntaxTreeNode(parser().parse(body))
        summary, sections = self._sections(tree)
        steps, questions = list[Step](), list[Question]()
        for section in sections:
            if "questions" in section.attributes.flags:
                questions += self._questions(section)
            else:
                steps.append(self._step(section))
        if not steps and not front.merge:
            self.complain(self.offset or 1, "a guide needs at least one step (a heading `## … {#id}`)")
            steps.append(Step("missing", (), path=self.path, line=self.offset or 1))
        guide = _assemble(self, front, summary, tuple(steps), tuple(questions))
        flagged = {
            flag: frozenset(s.attributes.id for s in sections if flag in s.attributes.flags) for flag in ("add", "hide")
        }
        return Patch(guide, front.merge, flagged["add"], flagged["hide"])

    def _sections(self, tree: SyntaxTreeNode) -> tuple[tuple[Block, ...], list[_Section]]:
        before: list[SyntaxTreeNode] = []
        sections: list[_Section] = []
        here = before
        for node in tree.children:
            if node.type != "heading":
                here.append(node)
                continue
            section = self._heading(node)
            if section.level == 2:  # noqa: PLR2004 - the Markdown level of a step
                sections.append(section)
            elif section.level == 3 and sections:  # noqa: PLR2004 - of a variant or question
                sections[-1].parts.append(section)
            else:
                self.complain(section.line, "only `##` steps, and `###` parts below them, are headings of a guide")
            here = section.nodes
        return self._blocks(before), sections

    def _heading(self, node: SyntaxTreeNode) -> _Section:
        line = self.line(node)
        source = node.children[0].content if node.children else ""
        try:
            words, attributes = split_attributes(source)
        except ValueError as error:
            self.complain(line, f"cannot read the attribute `{error}`")
            words, attributes = source, Attributes()
        if node.children:
            self._check_words(node.children[0].content, inline_text(words), line)
        return _Section(int(node.tag[1:]), inline_text(words), attributes, line)

    def _known(self, section: _Section, what: str, known: frozenset[str]) -> None:
        """Complain about attributes that mean nothing here: what somebody marked must not be passed over."""
        for name in sorted({*section.attributes.values, *section.attributes.flags} - known):
            there = f"; it knows {', '.join(sorted(known))}" if known else ""
            self.complain(section.line, f"{what} knows no attribute `{name}`{there}")

    def _step(self, section: _Section) -> Step:
        attributes = section.attributes
        if not attributes.id:
            self.complain(section.line, "a step needs an id: `## Title {#id}`")
        self._known(section, "a step", _STEP)
        nodes, choices = self._choices(section.nodes)
        for part in section.parts:
            self._known(part, "a `###` part of a step", _PART)
            part.nodes, late = self._choices(part.nodes)
            choices += late
            if late and part is not section.parts[-1]:
                self.complain(late[0].line, "choices are the same for everybody: they stand behind the last `###` part")
        value = attributes.values.get
        return Step(
            id=attributes.id,
            title=section.title,
            body=self._blocks(nodes),
            variants=tuple(self._variant(part) for part in section.parts),
            choices=tuple(choices),
            evidence=self._evidence(value("evidence"), section.line),
            source=value("source"),
            auto=value("auto"),
            cause=value("cause"),
            was=_several(value("was")),
            bypass="bypass" in attributes.flags,
            destructive="destructive" in attributes.flags,
            retry="retry" in attributes.flags,
            human="human" in attributes.flags,
            path=self.path,
            line=section.line,
        )

    def _variant(self, part: _Section) -> Variant:
        when = part.attributes.values.get("when")
        condition = self._condition(when, part.line) if when is not None else None
        return Variant(part.title, condition, self._blocks(part.nodes), self.path, part.line)

    def _condition(self, when: str, line: int) -> Condition | None:
        needs = []
        for pair in when.split() or [""]:
            fact, equals, values = pair.partition("=")
            if not (fact and equals and values):
                self.complain(line, f'cannot read `when="{when}"`; it is written `when="browser=chrome|edge"`')
                return None
            needs.append((fact, frozenset(values.split("|"))))
        return Condition(tuple(needs))

    def _questions(self, section: _Section) -> list[Question]:
        self._known(section, "the heading above the questions", frozenset({"questions"}))
        if section.nodes:
            self.complain(self.line(section.nodes[0]), "below `.questions` stand only `### Question? {#id}` parts")
        return [self._question(part) for part in section.parts]

    def _question(self, part: _Section) -> Question:
        self._known(part, "a question", _QUESTION)
        value = part.attributes.values.get
        if not part.attributes.id:
            self.complain(part.line, "a question needs an id: `### Question? {#id}`")
        return Question(
            id=part.attributes.id,
            title=part.title,
            body=self._blocks(part.nodes),
            says=_several(value("says")),
            evidence=self._evidence(value("evidence"), part.line),
            source=value("source"),
            path=self.path,
            line=part.line,
        )

    def _evidence(self, value: str | None, line: int) -> Evidence | None:
        if value is None:
            return None
        if value in set(Evidence):
            return Evidence(value)
        self.complain(line, f"evidence is one of {', '.join(Evidence)}, not `{value}`")
        return None

    def _choices(self, nodes: list[SyntaxTreeNode]) -> tuple[list[SyntaxTreeNode], list[Choice]]:
        """Take the list of links at the end of a step, if there is one."""
        if not nodes or nodes[-1].type != "bullet_list":
            return nodes, []
        items = [(item, _lone_link(item)) for item in nodes[-1].children]
        if not any(link and "id" in link.attrs for _, link in items):
            return nodes, []
        choices = []
        for item, link in items:
            if link is None or "id" not in link.attrs:
                self.complain(self.line(item), _not_a_choice(item))
            else:
                choices.append(self._choice(link, self.line(item)))
        return nodes[:-1], choices

    def _choice(self, link: SyntaxTreeNode, line: int) -> Choice:
        attrs = {key: str(value) for key, value in link.attrs.items()}
        if not _ID.fullmatch(attrs["id"]):
            self.complain(line, f"an id has letters, digits, `-` and `_` only, not `{attrs['id']}`")
        return Choice(
            id=attrs["id"],
            label=plain(spans(list(_tokens(link.children)))).strip(),
            target=self._target(attrs.get("href", ""), line),
            facts={key: value for key, value in attrs.items() if key not in _CHOICE_WORDS},
            says=_several(attrs.get("says")),
            was=_several(attrs.get("was")),
            path=self.path,
            line=line,
        )

    def _target(self, href: str, line: int) -> Target:
        found = _LINK.match(href)
        if not found:
            self.complain(
                line, f"a choice leads to `#step`, `guide.md`, `guide.md#step` or `outcomes.md#…`, not `{href}`"
            )
            return ToStep(self.guide_id, "")
        file, anchor = found["file"], found["anchor"] or ""
        if file == OUTCOMES:
            if anchor in set(Outcome):
                return ToOutcome(Outcome(anchor))
            self.complain(line, f"an outcome is one of {', '.join(Outcome)}, not `{anchor}`", "unknown-target")
            return ToOutcome(Outcome.LEFT)
        if file is None and not anchor:
            return Onward()
        return ToStep(file or self.guide_id, anchor)

    def _blocks(self, nodes: Sequence[SyntaxTreeNode]) -> tuple[Block, ...]:
        return tuple(block for node in nodes if (block := self._block(node)) is not None)

    def _block(self, node: SyntaxTreeNode) -> Block | None:
        if node.type != "blockquote" and (strange := set(node.attrs) - {"start"}):
            undo = node.type == "paragraph" and strange == {"class"} and node.attrs["class"] == "undo"
            if not undo:
                self.complain(self.line(node), "above a block: `{.undo}` marks a paragraph, `{#id evidence=…}` a quote")
        match node.type:
            case "paragraph":
                inline = self._inline(node.children[0])
                return Undo(inline) if node.attrs.get("class") == "undo" else Text(inline)
            case "ordered_list":
                return Steps(tuple(self._blocks(item.children) for item in node.children))
            case "bullet_list":
                return Bullets(tuple(self._blocks(item.children) for item in node.children))
            case "fence" | "code_block":
                return Code(node.content.rstrip("\n"), node.info.strip())
            case "blockquote":
                return self._note(node)
        self.complain(self.line(node), f"a guide cannot hold this kind of block ({node.type})")
        return None

    def _inline(self, node: SyntaxTreeNode) -> Inline:
        inline = spans(node.token.children or () if node.token else ())
        self._check_words(node.content, inline, self.line(node))
        for span in inline:
            if re.search(r"\{[#.\w][^}]*\}", span.text) and not span.code:
                self.complain(self.line(node), f"cannot read the attributes in `{span.text.strip()}`")
        return inline

    def _check_words(self, source: str, inline: Inline, line: int) -> None:
        for message in unshown(source):
            self.complain(line, message)
        for span in inline:
            if span.href is None or span.href.startswith("https://"):
                continue
            if _LINK.match(span.href):
                message = f"`{span.href}` is where a choice leads: choices stand in a list at the end of a step, each"
                self.complain(line, f"{message} `- [Label]({span.href or '#step'}){{#id}}`")
            else:
                self.complain(line, f"a link in a text is https, not `{span.href}`")

    def _note(self, node: SyntaxTreeNode) -> Note | None:
        line = self.line(node)
        evidence = self._evidence(str(node.attrs.get("evidence", "")) or None, line)
        name = str(node.attrs.get("id", ""))
        if evidence is None or not name:
            self.complain(line, "a quote is a note and needs a line `{#id evidence=…}` above it")
            return None
        for key in sorted(set(node.attrs) - {"id", "evidence", "source"}):
            self.complain(line, f"a note knows no attribute `{key}`; it knows evidence, source")
        blocks = self._blocks(node.children)
        if not blocks:
            self.complain(line, f"the note `{name}` is empty")
            return None
        source = node.attrs.get("source")
        return Note(name, evidence, blocks, str(source) if source else None)


def _assemble(
    reader: _Reader,
    front: FrontMatter,
    summary: tuple[Block, ...],
    steps: tuple[Step, ...],
    questions: tuple[Question, ...],
) -> Guide:
    return Guide(
        id=reader.guide_id,
        title=front.title,
        summary=summary,
        steps=steps,
        locale=reader.locale,
        questions=questions,
        surfaces=front.surfaces,
        signs=front.signs,
        phrases=front.phrases,
        sources=front.sources,
        reviewed=front.reviewed,
        was=front.was,
        path=reader.path,
        local=front.local,
        lines=front.lines,
        often=front.often or 1,
        fits=front.fits,
    )


def _not_a_choice(item: SyntaxTreeNode) -> str:
    """Say what keeps a line in a list of choices from being one."""
    parts = item.children[0].children[0].children if item.children and item.children[0].type == "paragraph" else []
    if len(parts) > 1 and parts[0].type == "link" and parts[1].content.lstrip().startswith("{"):
        return 'the attributes of a choice stand right behind its link: `[Label](#step){#id says="word|two words"}`'
    message = "every line of a list of choices is one link: `- [Label](#step){#id}`"
    return f"{message}. A plain list right before the choices is written with `*`, or has a paragraph behind it"


def _lone_link(item: SyntaxTreeNode) -> SyntaxTreeNode | None:
    """Return the link that is all of a list item, or None."""
    if len(item.children) != 1 or item.children[0].type != "paragraph":
        return None
    parts = item.children[0].children[0].children
    return parts[0] if len(parts) == 1 and parts[0].type == "link" else None


def _tokens(nodes: Sequence[SyntaxTreeNode]) -> Iterator[Token]:
    for node in nodes:
        yield from node.to_tokens()


def _several(value: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split("|") if part.strip()) if value else ()
