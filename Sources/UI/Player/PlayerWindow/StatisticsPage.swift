// SPDX-License-Identifier: Apache-2.0

/// A page of facts about what plays.
struct StatisticsPage {
    /// A fact: what it is about, and what is so.
    typealias Row = (label: String, value: String)

    var title: String
    var rows: [Row] = []
    /// What is told in lines of its own in place of rows.
    var text = ""
    /// The other pages, by the keys that turn to them.
    var footer: String
}
