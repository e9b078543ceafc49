// SPDX-License-Identifier: Apache-2.0

/// A range of bytes in a file.
struct ByteSpan: Hashable {
    var first: Int64
    var count: Int64
}
