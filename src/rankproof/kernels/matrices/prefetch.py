"""`prefetch`: ask the processor for memory that a loop will read soon.

A loop that computes while it reads waits for memory now and then: what it will read next is too far ahead
for the processor to see. The request takes no time of its own and changes no result.
"""

from __future__ import annotations

from typing import Any

from rankproof.kernels.compiled import inlined

__all__ = ["prefetch"]


@inlined
def prefetch() -> Any:
    """Request the cache line of ``array[row, column]``, an element that exists."""
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]  # numba has no types
    def request(typing_context: Any, array: Any, row: Any, column: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            array_struct = context.make_array(kind)(context, builder, arguments[0])
            place = [arguments[1], arguments[2]]
            element = cgutils.get_item_pointer(context, builder, kind, array_struct, place, wraparound=False)
            address, number = ir.IntType(8).as_pointer(), ir.IntType(32)
            function = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(ir.VoidType(), [address, number, number, number]),
                "llvm.prefetch.p0i8",
            )
            # To read (0), to keep in all caches (3), data (1).
            builder.call(function, [builder.bitcast(element, address), number(0), number(3), number(1)])
            return context.get_dummy_value()

        return types.void(array, types.intp, types.intp), generate

    return request
