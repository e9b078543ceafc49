// SPDX-License-Identifier: Apache-2.0

// `import PlayheadCapture` adds capture to the engine, which it brings too: devices, sessions and
// their outputs.

@_exported public import Playhead
@_exported public import PlayheadCapturing
