// SPDX-License-Identifier: Apache-2.0

// `import PlayheadEditing` adds compositions, videos made of pieces of others, and the timelines of
// other programs to the engine, which it brings too.

@_exported public import Playhead
@_exported public import PlayheadCompositions
@_exported public import PlayheadTimelines
