// SPDX-License-Identifier: Apache-2.0

/// A film of a run, as it was named or listed.
struct ListedFilm: Equatable {
    /// A path or an address.
    let file: String
    /// What a playlist calls it; nil where none does.
    var title: String?
}
