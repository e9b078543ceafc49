// SPDX-License-Identifier: Apache-2.0

// `import PlayheadCapture` imports the engine and adds capture to it: devices, sessions and their
// outputs.

@_exported public import Playhead
@_exported public import PlayheadCapturing
