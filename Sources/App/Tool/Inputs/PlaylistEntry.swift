// SPDX-License-Identifier: Apache-2.0

/// An entry of the playlist, as it was named on the command line or in a playlist file.
struct PlaylistEntry: Equatable {
    /// The path or URL.
    let file: String
    /// The title in the playlist file; nil if it contains none.
    var title: String?
}
