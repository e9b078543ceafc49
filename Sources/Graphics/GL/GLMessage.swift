// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A message of an OpenGL driver about the use of OpenGL.
///
/// - Corresponds to: a message of `GL_KHR_debug`.
public struct GLMessage: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type of a message.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case error, deprecated, undefined, portability, performance, marker, other

        init(type: UInt32) {
            switch Int32(bitPattern: type) {
            case GL_DEBUG_TYPE_ERROR: self = .error
            case GL_DEBUG_TYPE_DEPRECATED_BEHAVIOR: self = .deprecated
            case GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR: self = .undefined
            case GL_DEBUG_TYPE_PORTABILITY: self = .portability
            case GL_DEBUG_TYPE_PERFORMANCE: self = .performance
            case GL_DEBUG_TYPE_MARKER: self = .marker
            default: self = .other
            }
        }
    }

    /// The severity of a message.
    package enum Severity: Int, Sendable, Hashable, Comparable, CaseIterable {
        case notification, low, medium, high

        init(code: UInt32) {
            switch Int32(bitPattern: code) {
            case GL_DEBUG_SEVERITY_HIGH: self = .high
            case GL_DEBUG_SEVERITY_MEDIUM: self = .medium
            case GL_DEBUG_SEVERITY_LOW: self = .low
            default: self = .notification
            }
        }

        package static func < (left: Severity, right: Severity) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// The type of the message, as OpenGL classifies it.
    package var kind: Kind
    /// The severity, as the driver rates it.
    package var severity: Severity
    /// The driver's number for this message.
    package var identifier: UInt32
    /// The driver's text.
    package var text: String

    package init(kind: Kind, severity: Severity, identifier: UInt32, text: String) {
        self.kind = kind
        self.severity = severity
        self.identifier = identifier
        self.text = text
    }

    /// The type and the driver's text.
    public var description: String { "OpenGL, \(kind.rawValue): \(text)" }
}
