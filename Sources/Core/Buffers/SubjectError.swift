// SPDX-License-Identifier: Apache-2.0

/// An error that consists of three texts: the subject, the problem and the remedy.
///
/// The conforming types differ only in their codes. They are separate types so that a caller needs
/// to handle only the codes of the module that it calls.
package protocol SubjectError: Error {
    /// The file, device or other thing that the problem is about; may be empty.
    var subject: String { get }
    /// The problem, as a clause without a full stop.
    var cause: String { get }
    /// The remedy, as a clause without a full stop; may be empty.
    var remedy: String { get }
}

extension SubjectError {
    /// The subject, the problem and the remedy in one line.
    package var line: String {
        let problem = subject.isEmpty ? cause : "\(subject): \(cause)"
        return remedy.isEmpty ? problem : "\(problem); \(remedy)"
    }
}
