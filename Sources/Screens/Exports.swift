// SPDX-License-Identifier: Apache-2.0

// `import PlayheadScreens` adds screens and windows to capture, which it brings too.

@_exported public import PlayheadCapture
