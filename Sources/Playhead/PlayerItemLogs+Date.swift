// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadPlayback

extension PlayerItemAccessLogEvent {
    /// The date and time at which the event began.
    public var playbackStartDate: Date { Date(timeIntervalSince1970: secondsSince1970) }
}

extension PlayerItemErrorLogEvent {
    /// The date and time of the error.
    public var date: Date { Date(timeIntervalSince1970: secondsSince1970) }
}
