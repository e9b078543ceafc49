// SPDX-License-Identifier: Apache-2.0

// `import Playhead` brings everything that a program needs to play a film into a window or into
// its own OpenGL.

@_exported public import PlayheadAssets
@_exported public import PlayheadAtlas
@_exported public import PlayheadAudio
@_exported public import PlayheadAuthoring
@_exported public import PlayheadBuffers
@_exported public import PlayheadCommands
@_exported public import PlayheadControls
@_exported public import PlayheadConversion
@_exported public import PlayheadDesktop
@_exported public import PlayheadDisplay
@_exported public import PlayheadEffects
@_exported public import PlayheadFFmpeg
@_exported public import PlayheadGL
@_exported public import PlayheadHeadless
@_exported public import PlayheadImages
@_exported public import PlayheadInterface
@_exported public import PlayheadLayers
@_exported public import PlayheadMemory
@_exported public import PlayheadPlayback
@_exported public import PlayheadPresentation
@_exported public import PlayheadPulse
@_exported public import PlayheadSubtitles
@_exported public import PlayheadText
@_exported public import PlayheadTextures
@_exported public import PlayheadTime
@_exported public import PlayheadWindow
