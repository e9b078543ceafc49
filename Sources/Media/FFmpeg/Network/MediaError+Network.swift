// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

extension MediaError {
    /// Returns the error for a server that does not listen.
    static func connectionRefused(_ subject: String) -> MediaError {
        MediaError(
            .cannotOpen, subject: subject, cause: "the server does not accept connections",
            remedy: "check the address, and that the server is running")
    }
}
