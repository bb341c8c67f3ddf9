"""Single machine instructions that numba has no name for, each with a plain Python twin.

All take and return 64-bit values; the twins serve when JIT is off.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from engine.kernel import JIT

_LOW_64 = (1 << 64) - 1

trailing_zeros: Any
population_count: Any
multiply_high: Any

if JIT:

    @intrinsic
    def trailing_zeros(typing_context: Any, word: Any) -> Any:
        """Return the index of the lowest set bit of a uint64 that is not 0, as int64."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), generate

    @intrinsic
    def population_count(typing_context: Any, word: Any) -> Any:
        """Return the number of set bits of a uint64, as int64."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), generate

    @intrinsic
    def multiply_high(typing_context: Any, left: Any, right: Any) -> Any:
        """Return the upper 64 bits of the 128-bit product of two uint64."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            wide = ir.IntType(128)
            product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
            return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

        return types.uint64(types.uint64, types.uint64), generate

else:

    def trailing_zeros(word: Any) -> int:
        """Return the index of the lowest set bit of a word that is not 0."""
        value = int(word)
        return (value & -value).bit_length() - 1

    def population_count(word: Any) -> int:
        """Return the number of set bits."""
        return (int(word) & _LOW_64).bit_count()

    def multiply_high(left: Any, right: Any) -> Any:
        """Return the upper 64 bits of the 128-bit product of two unsigned 64-bit numbers."""
        return np.uint64((int(left) * int(right)) >> 64)
