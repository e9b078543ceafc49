// SPDX-License-Identifier: Apache-2.0

/// A page of statistics.
struct StatisticsPage {
    /// A label and its value.
    typealias Row = (label: String, value: String)

    var title: String
    var rows: [Row] = []
    /// Text that is shown instead of rows.
    var text = ""
    /// A line that lists the other pages and their keys.
    var footer: String
}
