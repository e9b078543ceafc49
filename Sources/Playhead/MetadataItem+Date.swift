// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets

extension MetadataItem {
    /// The value as a date. All forms of ISO 8601 are supported, even a year alone. The date is the
    /// beginning of the period that the value states. If the value states no time zone, UTC is
    /// used.
    public var dateValue: Date? {
        secondsSince1970.map { Date(timeIntervalSince1970: $0) }
    }
}
