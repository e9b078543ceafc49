// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadAssets

extension MetadataItem {
    /// The value as a moment in time, from any form of ISO 8601 down to a mere year; its beginning,
    /// and UTC where no zone is given.
    public var dateValue: Date? {
        secondsSince1970.map { Date(timeIntervalSince1970: $0) }
    }
}
