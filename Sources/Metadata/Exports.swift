// SPDX-License-Identifier: Apache-2.0

// `import PlayheadMetadata` imports the engine and adds timed metadata to it.

@_exported public import Playhead
