// SPDX-License-Identifier: Apache-2.0

extension MediaError {
    /// Returns the error for `EMFILE` and `ENFILE`.
    package static func tooManyOpenFiles(_ subject: String) -> MediaError {
        MediaError(
            .outOfResources, subject: subject, cause: "too many files are open",
            remedy: "close some, or raise the limit with ulimit -n")
    }
}
