// SPDX-License-Identifier: Apache-2.0

// `import PlayheadEditing` imports the engine and adds compositions (videos made of pieces of other
// videos), timelines of other programs, and the writing and export of files.

@_exported public import Playhead
@_exported public import PlayheadComposing
@_exported public import PlayheadCompositions
@_exported public import PlayheadExport
@_exported public import PlayheadTimelines
@_exported public import PlayheadVideoCompositions
@_exported public import PlayheadWriting
