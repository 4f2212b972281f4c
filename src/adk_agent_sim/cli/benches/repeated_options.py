"""A command that refuses an option given twice if it takes one value; click alone takes the last one silently."""

from __future__ import annotations

from collections import Counter

import click


class SingleValueCommand(click.Command):
    """Checks how often each option is given, before anything else is done with the values."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; raise UsageError if an option is given too often."""
        # The parser names a parameter once for each time that it was given.
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        counts = Counter(param for param in given if isinstance(param, click.Option) and not _can_repeat(param))
        for param, count in counts.items():
            if count > 1 and not ctx.resilient_parsing:
                lists = [each.opts[0] for each in self.params if isinstance(each, click.Option) and each.multiple]
                raise click.UsageError(
                    f"{param.opts[0]} was given {count} times, but takes one value. "
                    f"Only these options can be repeated: {', '.join(lists)}.",
                    ctx,
                )
        return super().parse_args(ctx, args)


def _can_repeat(param: click.Option) -> bool:
    return param.multiple or param.is_eager
