// SPDX-License-Identifier: Apache-2.0

// `import PlayheadEditing` adds to the engine, which it brings too: compositions, videos made of
// pieces of others; the timelines of other programs; and writers and exports of files.

@_exported public import Playhead
@_exported public import PlayheadCompositions
@_exported public import PlayheadExport
@_exported public import PlayheadTimelines
@_exported public import PlayheadWriting
