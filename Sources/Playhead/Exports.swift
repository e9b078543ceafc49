// SPDX-License-Identifier: Apache-2.0

// `import Playhead` provides the engine, which leads from a URL to a frame in your own OpenGL
// context. It needs no window library; `import PlayheadUI` adds windows and controls.

@_exported public import PlayheadAssets
@_exported public import PlayheadAudio
@_exported public import PlayheadBuffers
@_exported public import PlayheadConversion
@_exported public import PlayheadDisplay
@_exported public import PlayheadEffects
@_exported public import PlayheadFFmpeg
@_exported public import PlayheadGL
@_exported public import PlayheadImages
@_exported public import PlayheadLayers
@_exported public import PlayheadPlayback
@_exported public import PlayheadPresentation
@_exported public import PlayheadPulse
@_exported public import PlayheadStretching
@_exported public import PlayheadSubtitles
@_exported public import PlayheadText
@_exported public import PlayheadTextures
@_exported public import PlayheadTime
