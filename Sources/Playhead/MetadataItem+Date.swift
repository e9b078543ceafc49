// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets

extension MetadataItem {
    /// The value as a date: the beginning of the period that the value states, from any form of ISO
    /// 8601, even a year alone. If the value states no time zone, UTC is used.
    public var dateValue: Date? {
        secondsSince1970.map { Date(timeIntervalSince1970: $0) }
    }
}
