// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// The reason why an LV2 plug-in cannot be found or used, or why a value is refused.
///
/// Like `MediaError`, it consists of three texts, each suitable for a line in a terminal: the
/// plug-in, the problem and the remedy.
public struct LV2Error: Error, SubjectError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for use by programs.
    public enum Code: Sendable, Hashable {
        /// The library that finds plug-ins, Lilv, is not installed.
        case libraryMissing
        /// No installed plug-in has the URI.
        case noSuchPlugin
        /// The plug-in requires a feature or an option that is not supported.
        case unsupportedFeature
        /// The plug-in has a port of a type that is not supported.
        case unsupportedPort
        /// The numbers of the plug-in's audio inputs and outputs do not fit the audio.
        case unsupportedChannels
        /// The plug-in cannot be loaded, or does not create an instance.
        case instantiationFailed
        /// The plug-in has no parameter with the symbol.
        case unknownParameter
        /// The value is outside the parameter's range, or is not a whole number.
        case invalidValue
    }

    /// The kind of failure. Base decisions on this property.
    public var code: Code
    /// The name of the plug-in, or its URI if it is not installed.
    public var subject: String
    /// The problem, as a clause without a full stop.
    public var cause: String
    /// The remedy, as a clause without a full stop; may be empty.
    public var remedy: String

    init(_ code: Code, subject: String, cause: String, remedy: String = "") {
        self.code = code
        self.subject = subject
        self.cause = cause
        self.remedy = remedy
    }

    /// One line with the subject, the cause and the remedy.
    public var description: String { line }
}
