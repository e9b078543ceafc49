// SPDX-License-Identifier: Apache-2.0

// `import PlayheadUI` imports windows, controls, the effect panel, the player window and the
// engine.

@_exported public import Playhead
@_exported public import PlayheadCommands
@_exported public import PlayheadPlayerUI
@_exported public import PlayheadWindow
