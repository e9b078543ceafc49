// SPDX-License-Identifier: Apache-2.0

/// An error that consists of three texts: the subject, the problem and the remedy.
///
/// The types that conform differ in their codes only. They stay apart because a caller decides by
/// the codes of what it called.
package protocol SubjectError: Error {
    /// The file, device or other thing that the problem is about; may be empty.
    var subject: String { get }
    /// The problem, as a clause without a full stop.
    var cause: String { get }
    /// The remedy, as a clause without a full stop; empty without one.
    var remedy: String { get }
}

extension SubjectError {
    /// The three texts in one line.
    package var line: String {
        let problem = subject.isEmpty ? cause : "\(subject): \(cause)"
        return remedy.isEmpty ? problem : "\(problem); \(remedy)"
    }
}
