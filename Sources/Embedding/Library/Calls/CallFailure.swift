// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadAssets
import PlayheadAudio
import PlayheadCapturing
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTextures
import PlayheadWriting

/// The reason for the failure of a call: a status and a message.
struct CallFailure: Error {
    let status: playhead_status
    let text: String

    init(_ status: Int, _ text: String) {
        self.status = playhead_status(status)
        self.text = text
    }

    /// Creates a failure from an error that a lower module threw.
    init(_ error: any Error) {
        switch error {
        case let failure as CallFailure: self = failure
        case RenderReport.Problem.picture(let error): self.init(error)
        case RenderReport.Problem.effect(let error): self.init(error)
        case RenderReport.Problem.gl(let error): self.init(error)
        case let error as MediaError: self.init(Self.status(of: error.code), error.description)
        case let error as GLError: self.init(Self.status(of: error), error.description)
        case let error as EffectError: self.init(Self.status(of: error), error.description)
        case let error as TextureError: self.init(PLAYHEAD_GL_FAILED, error.description)
        case let error as MediaWritingError:
            self.init(Self.status(of: error.code), error.description)
        case let error as CaptureError:
            self.init(Self.status(of: error.code), error.description)
        case let error as AudioError: self.init(PLAYHEAD_NO_AUDIO_DEVICE, error.description)
        default: self.init(PLAYHEAD_UNSUPPORTED, String(describing: error))
        }
    }

    static func argument(_ text: String) -> CallFailure {
        CallFailure(PLAYHEAD_INVALID_ARGUMENT, text)
    }

    static var outOfHandles: CallFailure {
        CallFailure(
            PLAYHEAD_OUT_OF_RESOURCES,
            "\(HandleTable.placeLimit) handles exist, which is the maximum; destroy players or "
                + "remove effects"
        )
    }

    static func state(_ text: String) -> CallFailure { CallFailure(PLAYHEAD_WRONG_STATE, text) }

    private static func status(of code: MediaError.Code) -> Int {
        switch code {
        case .cannotOpen: PLAYHEAD_CANNOT_OPEN
        case .unknownFormat: PLAYHEAD_UNKNOWN_FORMAT
        case .damaged: PLAYHEAD_DAMAGED
        case .noPlayableTracks: PLAYHEAD_NO_PLAYABLE_TRACKS
        case .unsupportedCodec: PLAYHEAD_UNSUPPORTED_CODEC
        case .decodingFailed: PLAYHEAD_DECODING_FAILED
        case .limitExceeded: PLAYHEAD_LIMIT_EXCEEDED
        case .notAllowed: PLAYHEAD_NOT_ALLOWED
        case .cancelled: PLAYHEAD_CANCELLED
        case .timedOut: PLAYHEAD_TIMED_OUT
        case .noSuchFrame: PLAYHEAD_NO_SUCH_FRAME
        case .outOfResources: PLAYHEAD_OUT_OF_RESOURCES
        }
    }

    private static func status(of code: CaptureError.Code) -> Int {
        switch code {
        case .noSuchDevice: PLAYHEAD_NOT_FOUND
        case .notAuthorized: PLAYHEAD_NOT_ALLOWED
        case .deviceInUse, .deviceDisconnected, .noBandwidth, .deviceFailed: PLAYHEAD_CANNOT_OPEN
        case .stalled: PLAYHEAD_TIMED_OUT
        case .unsupportedFormat: PLAYHEAD_UNSUPPORTED
        case .decodingFailed: PLAYHEAD_DECODING_FAILED
        case .cannotAdd, .wrongState: PLAYHEAD_WRONG_STATE
        case .cannotWrite: PLAYHEAD_CANNOT_WRITE
        case .diskFull: PLAYHEAD_DISK_FULL
        case .maximumDurationReached, .maximumFileSizeReached: PLAYHEAD_LIMIT_EXCEEDED
        }
    }

    private static func status(of code: MediaWritingError.Code) -> Int {
        switch code {
        case .fileExists: PLAYHEAD_FILE_EXISTS
        case .diskFull: PLAYHEAD_DISK_FULL
        case .outputIsInput, .cannotCreate, .writeFailed, .encodingFailed, .maximumSizeExceeded:
            PLAYHEAD_CANNOT_WRITE
        case .unsupportedFormat, .wrongFormat: PLAYHEAD_UNSUPPORTED
        case .encoderMissing: PLAYHEAD_UNSUPPORTED_CODEC
        case .wrongState, .noSession, .noSamples: PLAYHEAD_WRONG_STATE
        case .outOfOrder, .invalidSample: PLAYHEAD_INVALID_ARGUMENT
        case .unreadable: PLAYHEAD_CANNOT_OPEN
        case .cancelled: PLAYHEAD_CANCELLED
        case .outOfResources: PLAYHEAD_OUT_OF_RESOURCES
        }
    }

    private static func status(of error: GLError) -> Int {
        switch error {
        case .unavailable: PLAYHEAD_NO_CONTEXT
        case .unsupportedVersion: PLAYHEAD_GL_UNSUPPORTED
        case .contextLost: PLAYHEAD_CONTEXT_LOST
        default: PLAYHEAD_GL_FAILED
        }
    }

    private static func status(of error: EffectError) -> Int {
        switch error {
        case .notFound, .unknownInput: PLAYHEAD_NOT_FOUND
        case .unreadable, .inaccessible: PLAYHEAD_EFFECT_UNREADABLE
        case .malformedHeader, .beyondLimit, .unsupported: PLAYHEAD_EFFECT_MALFORMED
        case .compilation, .tooSlow: PLAYHEAD_EFFECT_NOT_COMPILED
        case .wrongType: PLAYHEAD_EFFECT_WRONG_VALUE
        case .gl(let error): status(of: error)
        }
    }
}
