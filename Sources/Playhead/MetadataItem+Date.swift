// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets

extension MetadataItem {
    /// The value as a date, from any form of ISO 8601 down to a year alone: its beginning, in UTC
    /// if no zone is given.
    public var dateValue: Date? {
        secondsSince1970.map { Date(timeIntervalSince1970: $0) }
    }
}
