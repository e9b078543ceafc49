// SPDX-License-Identifier: Apache-2.0

/// What a track carries.
///
/// - Corresponds to: `AVMediaType`.
public enum MediaType: String, Sendable, Hashable, CaseIterable {
    case video, audio, subtitle, data, attachment
}
