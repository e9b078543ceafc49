// SPDX-License-Identifier: Apache-2.0

// `import PlayheadLV2` imports the engine and adds LV2 plug-ins to it.

@_exported public import Playhead
