"""Lists, page after page."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any


def rows(listing: Callable[..., Any], *args: Any, **filters: Any) -> Iterator[Any]:
    """Returns every row of a paged list, asking for the next page when the rows of one are used up:
    `for operation in rows(busbar.list_project_operations, status="failure"): …`
    """
    while True:
        page = listing(*args, **filters)
        yield from page["results"]
        token = page["pagination"].get("nextPageToken")
        if not token:
            return
        filters["page_token"] = token


async def async_rows(listing: Callable[..., Awaitable[Any]], *args: Any, **filters: Any) -> AsyncIterator[Any]:
    """Does the same with a method of `AsyncBusbar`: `async for operation in async_rows(busbar.list_project_operations): …`"""
    while True:
        page = await listing(*args, **filters)
        for row in page["results"]:
            yield row
        token = page["pagination"].get("nextPageToken")
        if not token:
            return
        filters["page_token"] = token
