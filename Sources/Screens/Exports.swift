// SPDX-License-Identifier: Apache-2.0

// `import PlayheadScreens` imports capture, and adds screens and windows to it.

@_exported public import PlayheadCapture
