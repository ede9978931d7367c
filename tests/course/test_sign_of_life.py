"""While a check computes its cell says so; the verdict takes the line's place."""

import pytest

from rbdkit_course.checks import checks
from rbdkit_course.verdict import wrong

ANSWERED = """
from rbdkit_course.checks import checks
from rbdkit_course.verdict import wrong

@checks("00-1")
def check(answer):
    print("computing")
    if answer is None:
        raise KeyboardInterrupt
    return wrong(f"not {answer}")

"""


@pytest.fixture(scope="module")
def messages():
    """What a kernel sends while a cell runs, in order: kind, and content without what names it."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(kernel_name="python3")

    def of(code):
        seen = []

        def keep(message):
            if message["msg_type"] not in ("status", "execute_input"):
                seen.append((message["msg_type"], message["content"]))

        client.execute_interactive(ANSWERED + code, output_hook=keep, timeout=600)
        return seen

    yield of
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "ending", "said"), [("7", "execute_result", "✗ not yet: not 7"), ("None", "error", "KeyboardInterrupt")]
)
def test_the_line_comes_at_once_and_goes_with_the_verdict(messages, answer, ending, said):
    (first, line), (second, printed), (third, gone), (last, verdict) = messages(f"check({answer})")
    assert [first, second, third, last] == ["display_data", "stream", "update_display_data", ending]
    assert "checking your answer" in line["data"]["text/html"] and printed["text"] == "computing\n"
    assert gone["transient"] == line["transient"] and gone["data"]["text/html"] == "<div hidden></div>"
    assert said in (verdict["data"]["text/plain"] if ending == "execute_result" else verdict["ename"])


def test_outside_notebooks_nothing_is_shown(monkeypatch, capsys):
    from IPython import display

    monkeypatch.setattr(display, "display", lambda *_, **__: pytest.fail("a line is shown"))
    assert not checks("00-1")(lambda answer: wrong("no"))(1)
    assert capsys.readouterr().out == ""
